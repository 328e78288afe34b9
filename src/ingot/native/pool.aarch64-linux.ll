; 4eddcaa7a017b46e79f45201b70550b6a3066b5f0484145132bc80fa20f9ccd7
; Made from pool.c and pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, [56 x i8], i64, i32, ptr, [40 x i8] }
%struct.timespec = type { i64, i64 }
%union.pthread_attr_t = type { i64, [56 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.loop = type { i64, ptr, ptr, i64, i32, i32, i32, i32 }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %61, label %4
4:                                                ; preds = %1
  %5 = tail call i32 @llvm.umin.i32(i32 %0, i32 1024)
  store ptr null, ptr %2, align 8
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 320) #8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %59
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #8
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #8
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #8
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #8
  br label %18
18:                                               ; preds = %8, %13, %16
  %19 = phi ptr [ null, %16 ], [ null, %8 ], [ %11, %13 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(80) %9, i8 0, i64 80, i1 false)
  %20 = getelementptr inbounds nuw i8, ptr %9, i64 80
  store ptr %19, ptr %20, align 16
  %21 = getelementptr inbounds nuw i8, ptr %9, i64 88
  store i32 0, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 92
  store i32 %5, ptr %22, align 4
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 96
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 32 dereferenceable(224) %23, i8 0, i64 224, i1 false)
  %24 = zext nneg i32 %5 to i64
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #9
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 248
  store ptr %25, ptr %27, align 8
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #8
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %51, label %34
34:                                               ; preds = %29
  %35 = load ptr, ptr %2, align 8
  br label %36
36:                                               ; preds = %34, %18
  %37 = phi ptr [ %35, %34 ], [ %26, %18 ]
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 72
  store ptr null, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %37, i64 80
  %40 = load ptr, ptr %39, align 16
  %41 = icmp eq ptr %40, null
  br i1 %41, label %45, label %42
42:                                               ; preds = %36
  %43 = call i64 @sysconf(i32 noundef 30) #8
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #8
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 248
  %47 = load ptr, ptr %46, align 8
  call void @free(ptr noundef %47) #8
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #8
  call void @free(ptr noundef nonnull %37) #8
  br label %59
49:                                               ; preds = %51
  %50 = load ptr, ptr %2, align 8
  br label %59
51:                                               ; preds = %29, %51
  %52 = phi i64 [ %57, %51 ], [ 0, %29 ]
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 72
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds nuw %struct.share, ptr %55, i64 %52
  store i64 0, ptr %56, align 8
  %57 = add nuw nsw i64 %52, 1
  %58 = icmp eq i64 %57, %24
  br i1 %58, label %49, label %51
59:                                               ; preds = %4, %49, %45
  %60 = phi ptr [ %50, %49 ], [ null, %45 ], [ null, %4 ]
  br label %61
61:                                               ; preds = %1, %59
  %62 = phi ptr [ %60, %59 ], [ null, %1 ]
  ret ptr %62
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #4
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %47, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %5 = load atomic i32, ptr %4 seq_cst, align 8
  %6 = tail call i32 @getpid() #8
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #8
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #8
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #8
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #8
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 8
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #8
  %31 = add nuw nsw i64 %26, 1
  %32 = load i32, ptr %15, align 32
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %37 = load ptr, ptr %36, align 16
  %38 = icmp eq ptr %37, null
  br i1 %38, label %42, label %39
39:                                               ; preds = %35
  %40 = tail call i64 @sysconf(i32 noundef 30) #8
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #8
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %44 = load ptr, ptr %43, align 8
  tail call void @free(ptr noundef %44) #8
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #8
  tail call void @free(ptr noundef nonnull %0) #8
  br label %47
47:                                               ; preds = %1, %42
  ret void
}
declare i32 @getpid() local_unnamed_addr #0
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #5
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #0
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %union.pthread_attr_t, align 8
  %9 = alloca %struct.__sigset_t, align 8
  %10 = alloca %struct.__sigset_t, align 8
  %11 = alloca %struct.loop, align 8
  %12 = icmp slt i64 %3, 1
  br i1 %12, label %159, label %13
13:                                               ; preds = %5
  %14 = tail call i64 @llvm.smax.i64(i64 %4, i64 1)
  %15 = udiv i64 %3, %14
  %16 = icmp eq ptr %0, null
  %17 = icmp samesign ult i64 %15, 2
  %18 = or i1 %16, %17
  br i1 %18, label %23, label %19
19:                                               ; preds = %13
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %21 = load i32, ptr %20, align 4
  %22 = icmp eq i32 %21, 1
  br i1 %22, label %23, label %24
23:                                               ; preds = %19, %13
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %159
24:                                               ; preds = %19
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %26 = load ptr, ptr %25, align 16
  %27 = icmp eq ptr %26, null
  br i1 %27, label %31, label %28
28:                                               ; preds = %24
  %29 = load atomic i32, ptr %26 acquire, align 4
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %90
31:                                               ; preds = %28, %24
  %32 = tail call i32 @getpid() #8
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %34 = load atomic i32, ptr %33 seq_cst, align 8
  %35 = icmp eq i32 %34, %32
  br i1 %35, label %90, label %36
36:                                               ; preds = %31
  %37 = icmp eq i32 %34, -1
  br i1 %37, label %94, label %38
38:                                               ; preds = %36
  %39 = cmpxchg ptr %33, i32 %34, i32 -1 seq_cst seq_cst, align 8
  %40 = extractvalue { i32, i1 } %39, 1
  br i1 %40, label %41, label %94
41:                                               ; preds = %38
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %43 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %42, ptr noundef null) #8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %45 = tail call i32 @pthread_cond_init(ptr noundef nonnull %44, ptr noundef null) #8
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %47 = tail call i32 @pthread_cond_init(ptr noundef nonnull %46, ptr noundef null) #8
  store atomic i64 0, ptr %0 seq_cst, align 64
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i32 0, ptr %48 seq_cst, align 64
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 0, ptr %49 seq_cst, align 4
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 256
  store atomic i32 0, ptr %50 seq_cst, align 64
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store i32 0, ptr %51, align 32
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store i64 0, ptr %52, align 16
  %53 = call i32 @pthread_attr_init(ptr noundef nonnull %8) #8
  %54 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %8, i64 noundef 4194304) #8
  %55 = call i32 @sigfillset(ptr noundef nonnull %9) #8
  %56 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %9, ptr noundef nonnull %10) #8
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %58 = load i32, ptr %20, align 4
  %59 = icmp sgt i32 %58, 1
  br i1 %59, label %60, label %83
60:                                               ; preds = %41
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %62
62:                                               ; preds = %76, %60
  %63 = phi i64 [ 1, %60 ], [ %79, %76 ]
  %64 = load ptr, ptr %57, align 8
  %65 = getelementptr inbounds nuw %struct.share, ptr %64, i64 %63
  %66 = getelementptr inbounds nuw i8, ptr %65, i64 80
  store ptr %0, ptr %66, align 16
  %67 = getelementptr inbounds nuw i8, ptr %65, i64 72
  %68 = trunc nuw nsw i64 %63 to i32
  store i32 %68, ptr %67, align 8
  %69 = getelementptr inbounds nuw i8, ptr %65, i64 64
  store atomic i64 0, ptr %69 seq_cst, align 64
  %70 = load ptr, ptr %61, align 8
  %71 = load i32, ptr %51, align 32
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds i64, ptr %70, i64 %72
  %74 = call i32 @pthread_create(ptr noundef %73, ptr noundef nonnull %8, ptr noundef nonnull @work, ptr noundef nonnull %65) #8
  %75 = icmp eq i32 %74, 0
  br i1 %75, label %76, label %83
76:                                               ; preds = %62
  %77 = load i32, ptr %51, align 32
  %78 = add nsw i32 %77, 1
  store i32 %78, ptr %51, align 32
  %79 = add nuw nsw i64 %63, 1
  %80 = load i32, ptr %20, align 4
  %81 = sext i32 %80 to i64
  %82 = icmp slt i64 %79, %81
  br i1 %82, label %62, label %83
83:                                               ; preds = %76, %62, %41
  %84 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %10, ptr noundef null) #8
  %85 = call i32 @pthread_attr_destroy(ptr noundef nonnull %8) #8
  store atomic i32 %32, ptr %33 seq_cst, align 8
  %86 = load ptr, ptr %25, align 16
  %87 = icmp eq ptr %86, null
  br i1 %87, label %89, label %88
88:                                               ; preds = %83
  store atomic i32 1, ptr %86 release, align 4
  br label %89
89:                                               ; preds = %88, %83
  br label %90
90:                                               ; preds = %28, %89, %31
  %91 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %92 = atomicrmw xchg ptr %91, i32 1 seq_cst, align 64
  %93 = icmp eq i32 %92, 0
  br i1 %93, label %95, label %94
94:                                               ; preds = %38, %36, %90
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %159
95:                                               ; preds = %90
  %96 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %97 = load i64, ptr %96, align 8
  %98 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %99 = load i32, ptr %98, align 32
  %100 = add nsw i32 %99, 1
  %101 = sext i32 %100 to i64
  %102 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %15, i64 %101)
  %103 = trunc nsw i64 %102 to i32
  %104 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %105 = load atomic i32, ptr %104 seq_cst, align 64
  %106 = sub nsw i32 %100, %105
  %107 = icmp slt i32 %106, %103
  br i1 %107, label %109, label %108
108:                                              ; preds = %95
  store i64 0, ptr %96, align 8
  br label %122
109:                                              ; preds = %95
  %110 = sext i32 %106 to i64
  %111 = sdiv i64 %15, %110
  %112 = sdiv i64 %15, %102
  %113 = sub nsw i64 %111, %112
  %114 = icmp slt i64 %113, 64
  br i1 %114, label %116, label %115
115:                                              ; preds = %109
  store i64 64, ptr %96, align 8
  br label %122
116:                                              ; preds = %109
  %117 = load i64, ptr %96, align 8
  %118 = add nsw i64 %117, %113
  %119 = freeze i64 %118
  store i64 %119, ptr %96, align 8
  %120 = icmp slt i64 %119, 64
  %121 = select i1 %120, i32 %106, i32 %103
  br label %122
122:                                              ; preds = %108, %115, %116
  %123 = phi i64 [ 0, %108 ], [ 64, %115 ], [ %119, %116 ]
  %124 = phi i32 [ %103, %108 ], [ %103, %115 ], [ %121, %116 ]
  %125 = icmp slt i64 %4, 2
  br i1 %125, label %126, label %137
126:                                              ; preds = %122
  %127 = icmp sgt i64 %123, %97
  %128 = icmp slt i64 %123, 64
  %129 = and i1 %127, %128
  br i1 %129, label %130, label %137
130:                                              ; preds = %126
  %131 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #8
  %132 = load i64, ptr %7, align 8
  %133 = mul nsw i64 %132, 1000000000
  %134 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %135 = load i64, ptr %134, align 8
  %136 = add nsw i64 %133, %135
  br label %137
137:                                              ; preds = %122, %126, %130
  %138 = phi i64 [ %136, %130 ], [ 0, %122 ], [ 0, %126 ]
  %139 = icmp eq i32 %124, 1
  br i1 %139, label %140, label %141
140:                                              ; preds = %137
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %142
141:                                              ; preds = %137
  call fastcc void @publish(ptr dead_on_unwind writable sret(%struct.loop) align 8 %11, ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i32 noundef %124, i64 noundef %15)
  call fastcc void @share_out(ptr noundef %0, ptr noundef %11)
  br label %142
142:                                              ; preds = %141, %140
  %143 = icmp eq i64 %138, 0
  br i1 %143, label %158, label %144
144:                                              ; preds = %142
  %145 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #8
  %146 = load i64, ptr %6, align 8
  %147 = mul nsw i64 %146, 1000000000
  %148 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %149 = load i64, ptr %148, align 8
  %150 = sub i64 %149, %138
  %151 = add i64 %150, %147
  %152 = sdiv i64 %151, 1000
  %153 = add nsw i64 %152, %97
  %154 = load i64, ptr %96, align 8
  %155 = icmp slt i64 %153, %154
  %156 = call i64 @llvm.smin.i64(i64 %153, i64 64)
  %157 = select i1 %155, i64 %154, i64 %156
  store i64 %157, ptr %96, align 8
  br label %158
158:                                              ; preds = %144, %142
  store atomic i32 0, ptr %91 seq_cst, align 64
  br label %159
159:                                              ; preds = %23, %94, %158, %5
  ret void
}
define internal fastcc void @publish(ptr dead_on_unwind noalias nonnull writable writeonly sret(%struct.loop) align 8 %0, ptr noundef nonnull %1, ptr noundef %2, ptr noundef %3, i64 noundef range(i64 1, -9223372036854775808) %4, i32 noundef range(i32 2, 1) %5, i64 noundef range(i64 2, -9223372036854775808) %6) unnamed_addr #0 {
  %8 = sext i32 %5 to i64
  %9 = shl nsw i64 %8, 3
  %10 = icmp slt i64 %6, %9
  br i1 %10, label %11, label %14
11:                                               ; preds = %7
  %12 = trunc i64 %6 to i32
  %13 = sdiv i32 %12, %5
  br label %14
14:                                               ; preds = %7, %11
  %15 = phi i32 [ %13, %11 ], [ 8, %7 ]
  %16 = mul nsw i32 %15, %5
  %17 = getelementptr inbounds nuw i8, ptr %1, i64 264
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, 1
  store i64 %19, ptr %17, align 8
  store i64 %19, ptr %0, align 8
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %2, ptr %20, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store ptr %3, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %23 = sext i32 %16 to i64
  %24 = sdiv i64 %4, %23
  store i64 %24, ptr %22, align 8
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %26 = mul i64 %24, %23
  %27 = sub i64 %4, %26
  %28 = trunc nuw nsw i64 %27 to i32
  store i32 %28, ptr %25, align 8
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store i32 %16, ptr %29, align 4
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i32 %5, ptr %30, align 8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store i32 %15, ptr %31, align 4
  store atomic i64 0, ptr %1 monotonic, align 64
  %32 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %33 = ptrtoint ptr %2 to i64
  store atomic i64 %33, ptr %32 release, align 8
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %35 = ptrtoint ptr %3 to i64
  store atomic i64 %35, ptr %34 release, align 16
  %36 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store atomic i64 %24, ptr %36 release, align 8
  %37 = getelementptr inbounds nuw i8, ptr %1, i64 32
  store atomic i32 %28, ptr %37 release, align 32
  %38 = getelementptr inbounds nuw i8, ptr %1, i64 36
  store atomic i32 %16, ptr %38 release, align 4
  %39 = getelementptr inbounds nuw i8, ptr %1, i64 40
  store atomic i32 %5, ptr %39 release, align 8
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 44
  store atomic i32 %15, ptr %40 release, align 4
  store atomic i64 %19, ptr %1 seq_cst, align 64
  %41 = getelementptr inbounds nuw i8, ptr %1, i64 280
  %42 = load i64, ptr %41, align 8
  %43 = icmp sgt i64 %42, 63
  br i1 %43, label %44, label %57
44:                                               ; preds = %14
  %45 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %46 = load atomic i32, ptr %45 seq_cst, align 64
  %47 = icmp sgt i32 %46, 0
  br i1 %47, label %48, label %57
48:                                               ; preds = %44
  store i64 0, ptr %41, align 8
  %49 = getelementptr inbounds nuw i8, ptr %1, i64 104
  %50 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %49) #8
  %51 = getelementptr inbounds nuw i8, ptr %1, i64 100
  %52 = load i32, ptr %51, align 4
  %53 = add i32 %52, 1
  store i32 %53, ptr %51, align 4
  %54 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %49) #8
  %55 = getelementptr inbounds nuw i8, ptr %1, i64 152
  %56 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %55) #8
  br label %57
57:                                               ; preds = %48, %44, %14
  ret void
}
define internal fastcc void @share_out(ptr noundef nonnull %0, ptr noundef nonnull readonly %1) unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 44
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 36
  br label %11
11:                                               ; preds = %35, %2
  %12 = phi i32 [ 0, %2 ], [ %56, %35 ]
  %13 = load ptr, ptr %4, align 8
  %14 = load atomic i64, ptr %13 monotonic, align 64
  br label %15
15:                                               ; preds = %27, %11
  %16 = phi i64 [ %14, %11 ], [ %34, %27 ]
  %17 = lshr i64 %16, 16
  %18 = load i64, ptr %1, align 8
  %19 = icmp eq i64 %17, %18
  %20 = trunc i64 %16 to i32
  %21 = and i32 %20, 65535
  %22 = select i1 %19, i32 %21, i32 0
  %23 = icmp ugt i64 %17, %18
  br i1 %23, label %57, label %24
24:                                               ; preds = %15
  %25 = load i32, ptr %5, align 4
  %26 = icmp slt i32 %22, %25
  br i1 %26, label %27, label %57
27:                                               ; preds = %24
  %28 = shl i64 %18, 16
  %29 = zext nneg i32 %22 to i64
  %30 = or disjoint i64 %28, 1
  %31 = add i64 %30, %29
  %32 = cmpxchg weak ptr %13, i64 %16, i64 %31 seq_cst seq_cst, align 64
  %33 = extractvalue { i64, i1 } %32, 1
  %34 = extractvalue { i64, i1 } %32, 0
  br i1 %33, label %35, label %15
35:                                               ; preds = %27
  %36 = load ptr, ptr %6, align 8
  %37 = load ptr, ptr %7, align 8
  %38 = load i64, ptr %8, align 8
  %39 = mul nsw i64 %38, %29
  %40 = load i32, ptr %9, align 8
  %41 = mul i32 %40, %22
  %42 = load i32, ptr %10, align 4
  %43 = add i32 %42, -1
  %44 = add i32 %43, %41
  %45 = udiv i32 %44, %42
  %46 = zext i32 %45 to i64
  %47 = add nsw i64 %39, %46
  %48 = add nuw nsw i32 %22, 1
  %49 = zext nneg i32 %48 to i64
  %50 = mul nsw i64 %38, %49
  %51 = mul i32 %40, %48
  %52 = add i32 %43, %51
  %53 = udiv i32 %52, %42
  %54 = zext i32 %53 to i64
  %55 = add nsw i64 %50, %54
  tail call void %36(ptr noundef %37, i64 noundef %47, i64 noundef %55) #8
  %56 = add nuw nsw i32 %12, 1
  br label %11
57:                                               ; preds = %15, %24
  %58 = load i32, ptr %10, align 4
  %59 = zext i32 %58 to i64
  %60 = zext nneg i32 %12 to i64
  %61 = sub nsw i64 %59, %60
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %63 = load i64, ptr %62, align 16
  %64 = add nsw i64 %61, %63
  store i64 %64, ptr %62, align 16
  %65 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %66 = load i32, ptr %65, align 32
  %67 = icmp slt i32 %66, 1
  br i1 %67, label %82, label %68
68:                                               ; preds = %57, %68
  %69 = phi i64 [ %76, %68 ], [ 1, %57 ]
  %70 = phi i64 [ %75, %68 ], [ 0, %57 ]
  %71 = load ptr, ptr %4, align 8
  %72 = getelementptr inbounds nuw %struct.share, ptr %71, i64 %69
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 64
  %74 = load atomic i64, ptr %73 seq_cst, align 64
  %75 = add nsw i64 %74, %70
  %76 = add nuw nsw i64 %69, 1
  %77 = load i32, ptr %65, align 32
  %78 = sext i32 %77 to i64
  %79 = icmp slt i64 %69, %78
  br i1 %79, label %68, label %80
80:                                               ; preds = %68
  %81 = load i64, ptr %62, align 16
  br label %82
82:                                               ; preds = %80, %57
  %83 = phi i32 [ %66, %57 ], [ %77, %80 ]
  %84 = phi i64 [ %64, %57 ], [ %81, %80 ]
  %85 = phi i64 [ 0, %57 ], [ %75, %80 ]
  %86 = icmp eq i64 %85, %84
  br i1 %86, label %87, label %106
87:                                               ; preds = %166, %161, %141, %121, %82
  %88 = phi i32 [ %167, %166 ], [ %162, %161 ], [ %142, %141 ], [ %122, %121 ], [ %83, %82 ]
  %89 = icmp slt i32 %88, 1
  br i1 %89, label %102, label %90
90:                                               ; preds = %87, %90
  %91 = phi i64 [ %98, %90 ], [ 1, %87 ]
  %92 = phi i64 [ %97, %90 ], [ 0, %87 ]
  %93 = load ptr, ptr %4, align 8
  %94 = getelementptr inbounds nuw %struct.share, ptr %93, i64 %91
  %95 = getelementptr inbounds nuw i8, ptr %94, i64 64
  %96 = load atomic i64, ptr %95 seq_cst, align 64
  %97 = add nsw i64 %96, %92
  %98 = add nuw nsw i64 %91, 1
  %99 = load i32, ptr %65, align 32
  %100 = sext i32 %99 to i64
  %101 = icmp slt i64 %91, %100
  br i1 %101, label %90, label %102
102:                                              ; preds = %90, %87
  %103 = phi i64 [ 0, %87 ], [ %97, %90 ]
  %104 = load i64, ptr %62, align 16
  %105 = icmp eq i64 %103, %104
  br i1 %105, label %247, label %168
106:                                              ; preds = %82
  tail call void asm sideeffect "yield", ""() #8
  %107 = load i32, ptr %65, align 32
  %108 = icmp slt i32 %107, 1
  br i1 %108, label %121, label %109
109:                                              ; preds = %106, %109
  %110 = phi i64 [ %117, %109 ], [ 1, %106 ]
  %111 = phi i64 [ %116, %109 ], [ 0, %106 ]
  %112 = load ptr, ptr %4, align 8
  %113 = getelementptr inbounds nuw %struct.share, ptr %112, i64 %110
  %114 = getelementptr inbounds nuw i8, ptr %113, i64 64
  %115 = load atomic i64, ptr %114 seq_cst, align 64
  %116 = add nsw i64 %115, %111
  %117 = add nuw nsw i64 %110, 1
  %118 = load i32, ptr %65, align 32
  %119 = sext i32 %118 to i64
  %120 = icmp slt i64 %110, %119
  br i1 %120, label %109, label %121
121:                                              ; preds = %109, %106
  %122 = phi i32 [ %107, %106 ], [ %118, %109 ]
  %123 = phi i64 [ 0, %106 ], [ %116, %109 ]
  %124 = load i64, ptr %62, align 16
  %125 = icmp eq i64 %123, %124
  br i1 %125, label %87, label %126
126:                                              ; preds = %121
  tail call void asm sideeffect "yield", ""() #8
  %127 = load i32, ptr %65, align 32
  %128 = icmp slt i32 %127, 1
  br i1 %128, label %141, label %129
129:                                              ; preds = %126, %129
  %130 = phi i64 [ %137, %129 ], [ 1, %126 ]
  %131 = phi i64 [ %136, %129 ], [ 0, %126 ]
  %132 = load ptr, ptr %4, align 8
  %133 = getelementptr inbounds nuw %struct.share, ptr %132, i64 %130
  %134 = getelementptr inbounds nuw i8, ptr %133, i64 64
  %135 = load atomic i64, ptr %134 seq_cst, align 64
  %136 = add nsw i64 %135, %131
  %137 = add nuw nsw i64 %130, 1
  %138 = load i32, ptr %65, align 32
  %139 = sext i32 %138 to i64
  %140 = icmp slt i64 %130, %139
  br i1 %140, label %129, label %141
141:                                              ; preds = %129, %126
  %142 = phi i32 [ %127, %126 ], [ %138, %129 ]
  %143 = phi i64 [ 0, %126 ], [ %136, %129 ]
  %144 = load i64, ptr %62, align 16
  %145 = icmp eq i64 %143, %144
  br i1 %145, label %87, label %146
146:                                              ; preds = %141
  tail call void asm sideeffect "yield", ""() #8
  %147 = load i32, ptr %65, align 32
  %148 = icmp slt i32 %147, 1
  br i1 %148, label %161, label %149
149:                                              ; preds = %146, %149
  %150 = phi i64 [ %157, %149 ], [ 1, %146 ]
  %151 = phi i64 [ %156, %149 ], [ 0, %146 ]
  %152 = load ptr, ptr %4, align 8
  %153 = getelementptr inbounds nuw %struct.share, ptr %152, i64 %150
  %154 = getelementptr inbounds nuw i8, ptr %153, i64 64
  %155 = load atomic i64, ptr %154 seq_cst, align 64
  %156 = add nsw i64 %155, %151
  %157 = add nuw nsw i64 %150, 1
  %158 = load i32, ptr %65, align 32
  %159 = sext i32 %158 to i64
  %160 = icmp slt i64 %150, %159
  br i1 %160, label %149, label %161
161:                                              ; preds = %149, %146
  %162 = phi i32 [ %147, %146 ], [ %158, %149 ]
  %163 = phi i64 [ 0, %146 ], [ %156, %149 ]
  %164 = load i64, ptr %62, align 16
  %165 = icmp eq i64 %163, %164
  br i1 %165, label %87, label %166
166:                                              ; preds = %161
  tail call void asm sideeffect "yield", ""() #8
  %167 = load i32, ptr %65, align 32
  br label %87
168:                                              ; preds = %102
  %169 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %170 = load i32, ptr %169, align 8
  %171 = icmp sgt i32 %170, 1
  br i1 %171, label %172, label %247
172:                                              ; preds = %168, %239
  %173 = phi i32 [ %240, %239 ], [ %170, %168 ]
  %174 = phi i32 [ %241, %239 ], [ 0, %168 ]
  %175 = phi i32 [ %242, %239 ], [ 1, %168 ]
  %176 = icmp slt i32 %175, %173
  %177 = select i1 %176, i32 0, i32 %173
  %178 = sub nsw i32 %175, %177
  %179 = icmp eq i32 %175, %177
  br i1 %179, label %180, label %183
180:                                              ; preds = %172
  %181 = load i32, ptr %5, align 4
  %182 = icmp sgt i32 %181, 1
  br i1 %182, label %183, label %239
183:                                              ; preds = %180, %172
  %184 = sext i32 %178 to i64
  br label %185
185:                                              ; preds = %210, %183
  %186 = phi i32 [ 0, %183 ], [ %235, %210 ]
  %187 = load ptr, ptr %4, align 8
  %188 = getelementptr inbounds %struct.share, ptr %187, i64 %184
  %189 = load atomic i64, ptr %188 monotonic, align 64
  br label %190
190:                                              ; preds = %202, %185
  %191 = phi i64 [ %189, %185 ], [ %209, %202 ]
  %192 = lshr i64 %191, 16
  %193 = load i64, ptr %1, align 8
  %194 = icmp eq i64 %192, %193
  %195 = trunc i64 %191 to i32
  %196 = and i32 %195, 65535
  %197 = select i1 %194, i32 %196, i32 0
  %198 = icmp ugt i64 %192, %193
  br i1 %198, label %236, label %199
199:                                              ; preds = %190
  %200 = load i32, ptr %5, align 4
  %201 = icmp slt i32 %197, %200
  br i1 %201, label %202, label %236
202:                                              ; preds = %199
  %203 = shl i64 %193, 16
  %204 = zext nneg i32 %197 to i64
  %205 = or disjoint i64 %203, 1
  %206 = add i64 %205, %204
  %207 = cmpxchg weak ptr %188, i64 %191, i64 %206 seq_cst seq_cst, align 64
  %208 = extractvalue { i64, i1 } %207, 1
  %209 = extractvalue { i64, i1 } %207, 0
  br i1 %208, label %210, label %190
210:                                              ; preds = %202
  %211 = load i32, ptr %5, align 4
  %212 = mul nsw i32 %211, %178
  %213 = add nsw i32 %212, %197
  %214 = load ptr, ptr %6, align 8
  %215 = load ptr, ptr %7, align 8
  %216 = load i64, ptr %8, align 8
  %217 = zext i32 %213 to i64
  %218 = mul nsw i64 %216, %217
  %219 = load i32, ptr %9, align 8
  %220 = mul i32 %219, %213
  %221 = load i32, ptr %10, align 4
  %222 = add i32 %221, -1
  %223 = add i32 %222, %220
  %224 = udiv i32 %223, %221
  %225 = zext i32 %224 to i64
  %226 = add nsw i64 %218, %225
  %227 = add i32 %213, 1
  %228 = zext i32 %227 to i64
  %229 = mul nsw i64 %216, %228
  %230 = mul i32 %219, %227
  %231 = add i32 %222, %230
  %232 = udiv i32 %231, %221
  %233 = zext i32 %232 to i64
  %234 = add nsw i64 %229, %233
  tail call void %214(ptr noundef %215, i64 noundef %226, i64 noundef %234) #8
  %235 = add nuw nsw i32 %186, 1
  br label %185
236:                                              ; preds = %199, %190
  %237 = add nsw i32 %186, %174
  %238 = load i32, ptr %169, align 8
  br label %239
239:                                              ; preds = %236, %180
  %240 = phi i32 [ %238, %236 ], [ %173, %180 ]
  %241 = phi i32 [ %237, %236 ], [ %174, %180 ]
  %242 = add nuw nsw i32 %175, 1
  %243 = icmp slt i32 %242, %240
  br i1 %243, label %172, label %244
244:                                              ; preds = %239
  %245 = load i64, ptr %62, align 16
  %246 = sext i32 %241 to i64
  br label %247
247:                                              ; preds = %168, %244, %102
  %248 = phi i64 [ %103, %102 ], [ %104, %168 ], [ %245, %244 ]
  %249 = phi i64 [ 0, %102 ], [ 0, %168 ], [ %246, %244 ]
  %250 = sub nsw i64 %248, %249
  store i64 %250, ptr %62, align 16
  %251 = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %252
252:                                              ; preds = %294, %247
  %253 = phi i32 [ 0, %247 ], [ %276, %294 ]
  %254 = phi i64 [ 0, %247 ], [ %286, %294 ]
  br label %255
255:                                              ; preds = %252, %275
  %256 = phi i32 [ %276, %275 ], [ %253, %252 ]
  %257 = load i32, ptr %65, align 32
  %258 = icmp slt i32 %257, 1
  br i1 %258, label %271, label %259
259:                                              ; preds = %255, %259
  %260 = phi i64 [ %267, %259 ], [ 1, %255 ]
  %261 = phi i64 [ %266, %259 ], [ 0, %255 ]
  %262 = load ptr, ptr %4, align 8
  %263 = getelementptr inbounds nuw %struct.share, ptr %262, i64 %260
  %264 = getelementptr inbounds nuw i8, ptr %263, i64 64
  %265 = load atomic i64, ptr %264 seq_cst, align 64
  %266 = add nsw i64 %265, %261
  %267 = add nuw nsw i64 %260, 1
  %268 = load i32, ptr %65, align 32
  %269 = sext i32 %268 to i64
  %270 = icmp slt i64 %260, %269
  br i1 %270, label %259, label %271
271:                                              ; preds = %259, %255
  %272 = phi i64 [ 0, %255 ], [ %266, %259 ]
  %273 = load i64, ptr %62, align 16
  %274 = icmp eq i64 %272, %273
  br i1 %274, label %323, label %275
275:                                              ; preds = %271
  call void asm sideeffect "yield", ""() #8
  %276 = add i32 %256, 1
  %277 = and i32 %276, 63
  %278 = icmp eq i32 %277, 0
  br i1 %278, label %279, label %255
279:                                              ; preds = %275
  %280 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #8
  %281 = load i64, ptr %3, align 8
  %282 = mul nsw i64 %281, 1000000000
  %283 = load i64, ptr %251, align 8
  %284 = add nsw i64 %282, %283
  %285 = icmp ne i32 %276, 64
  %286 = select i1 %285, i64 %254, i64 %284
  %287 = sub i64 %284, %254
  %288 = icmp sgt i64 %287, 50000
  %289 = select i1 %285, i1 %288, i1 false
  br i1 %289, label %290, label %294
290:                                              ; preds = %279
  %291 = call i32 @sched_yield() #8
  %292 = sub nsw i64 %284, %286
  %293 = icmp sgt i64 %292, 999999
  br i1 %293, label %295, label %294
294:                                              ; preds = %290, %279
  br label %252
295:                                              ; preds = %290
  %296 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %297 = call i32 @pthread_mutex_lock(ptr noundef nonnull %296) #8
  %298 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %298 seq_cst, align 4
  %299 = getelementptr inbounds nuw i8, ptr %0, i64 200
  br label %300
300:                                              ; preds = %319, %295
  %301 = load i32, ptr %65, align 32
  %302 = icmp slt i32 %301, 1
  br i1 %302, label %315, label %303
303:                                              ; preds = %300, %303
  %304 = phi i64 [ %311, %303 ], [ 1, %300 ]
  %305 = phi i64 [ %310, %303 ], [ 0, %300 ]
  %306 = load ptr, ptr %4, align 8
  %307 = getelementptr inbounds nuw %struct.share, ptr %306, i64 %304
  %308 = getelementptr inbounds nuw i8, ptr %307, i64 64
  %309 = load atomic i64, ptr %308 seq_cst, align 64
  %310 = add nsw i64 %309, %305
  %311 = add nuw nsw i64 %304, 1
  %312 = load i32, ptr %65, align 32
  %313 = sext i32 %312 to i64
  %314 = icmp slt i64 %304, %313
  br i1 %314, label %303, label %315
315:                                              ; preds = %303, %300
  %316 = phi i64 [ 0, %300 ], [ %310, %303 ]
  %317 = load i64, ptr %62, align 16
  %318 = icmp eq i64 %316, %317
  br i1 %318, label %321, label %319
319:                                              ; preds = %315
  %320 = call i32 @pthread_cond_wait(ptr noundef nonnull %299, ptr noundef nonnull %296) #8
  br label %300
321:                                              ; preds = %315
  store atomic i32 0, ptr %298 seq_cst, align 4
  %322 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %296) #8
  br label %323
323:                                              ; preds = %271, %321
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #0
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0
declare void @free(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #0
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %4 = load ptr, ptr %3, align 16
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 48
  %6 = load atomic i32, ptr %5 seq_cst, align 16
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %215
8:                                                ; preds = %1
  %9 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %10 = getelementptr inbounds nuw i8, ptr %4, i64 104
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 64
  %12 = getelementptr inbounds nuw i8, ptr %4, i64 100
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 152
  %14 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %15 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %16 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %17 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %18 = getelementptr inbounds nuw i8, ptr %4, i64 36
  %19 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 44
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %23 = getelementptr inbounds nuw i8, ptr %4, i64 72
  %24 = getelementptr inbounds nuw i8, ptr %4, i64 68
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 200
  br label %26
26:                                               ; preds = %8, %211
  %27 = phi i64 [ 0, %8 ], [ %212, %211 ]
  %28 = load atomic i64, ptr %4 seq_cst, align 64
  %29 = icmp eq i64 %28, 0
  %30 = icmp eq i64 %28, %27
  %31 = or i1 %29, %30
  br i1 %31, label %32, label %82
32:                                               ; preds = %26, %75
  %33 = phi i32 [ %77, %75 ], [ 0, %26 ]
  %34 = phi i64 [ %76, %75 ], [ 0, %26 ]
  %35 = load atomic i32, ptr %5 monotonic, align 16
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %82
37:                                               ; preds = %32
  call void asm sideeffect "yield", ""() #8
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %75
41:                                               ; preds = %37
  %42 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #8
  %43 = load i64, ptr %2, align 8
  %44 = mul nsw i64 %43, 1000000000
  %45 = load i64, ptr %9, align 8
  %46 = add nsw i64 %44, %45
  %47 = icmp ne i32 %38, 64
  %48 = select i1 %47, i64 %34, i64 %46
  %49 = sub i64 %46, %34
  %50 = icmp sgt i64 %49, 50000
  %51 = select i1 %47, i1 %50, i1 false
  br i1 %51, label %52, label %75
52:                                               ; preds = %41
  %53 = call i32 @sched_yield() #8
  %54 = sub nsw i64 %46, %48
  %55 = icmp sgt i64 %54, 999999
  br i1 %55, label %56, label %75
56:                                               ; preds = %52
  %57 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %58 = atomicrmw add ptr %11, i32 1 seq_cst, align 64
  %59 = load i32, ptr %12, align 4
  br label %60
60:                                               ; preds = %68, %56
  %61 = load atomic i64, ptr %4 seq_cst, align 64
  %62 = icmp eq i64 %61, 0
  %63 = icmp eq i64 %61, %27
  %64 = or i1 %62, %63
  br i1 %64, label %65, label %72
65:                                               ; preds = %60
  %66 = load atomic i32, ptr %5 monotonic, align 16
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %68, label %72
68:                                               ; preds = %65
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #8
  %70 = load i32, ptr %12, align 4
  %71 = icmp eq i32 %70, %59
  br i1 %71, label %60, label %72
72:                                               ; preds = %60, %65, %68
  %73 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  br label %75
75:                                               ; preds = %41, %37, %72, %52
  %76 = phi i64 [ 0, %72 ], [ %48, %52 ], [ %34, %37 ], [ %48, %41 ]
  %77 = phi i32 [ 0, %72 ], [ %38, %52 ], [ %38, %37 ], [ %38, %41 ]
  %78 = load atomic i64, ptr %4 seq_cst, align 64
  %79 = icmp eq i64 %78, 0
  %80 = icmp eq i64 %78, %27
  %81 = or i1 %79, %80
  br i1 %81, label %32, label %82
82:                                               ; preds = %32, %75, %26
  %83 = load atomic i32, ptr %5 seq_cst, align 16
  %84 = icmp eq i32 %83, 0
  br i1 %84, label %85, label %211
85:                                               ; preds = %82
  %86 = load atomic i64, ptr %4 acquire, align 64
  %87 = load atomic i64, ptr %14 acquire, align 8
  %88 = inttoptr i64 %87 to ptr
  %89 = load atomic i64, ptr %15 acquire, align 16
  %90 = inttoptr i64 %89 to ptr
  %91 = load atomic i64, ptr %16 acquire, align 8
  %92 = load atomic i32, ptr %17 acquire, align 32
  %93 = load atomic i32, ptr %18 acquire, align 4
  %94 = load atomic i32, ptr %19 acquire, align 8
  %95 = load atomic i32, ptr %20 acquire, align 4
  %96 = icmp eq i64 %86, 0
  br i1 %96, label %211, label %97
97:                                               ; preds = %85
  %98 = load atomic i64, ptr %4 monotonic, align 64
  %99 = icmp eq i64 %98, %86
  br i1 %99, label %100, label %211
100:                                              ; preds = %97
  %101 = load i32, ptr %21, align 8
  %102 = srem i32 %101, %94
  %103 = sext i32 %102 to i64
  %104 = shl i64 %86, 16
  %105 = or disjoint i64 %104, 1
  %106 = mul nsw i32 %102, %95
  %107 = add i32 %93, -1
  br label %108
108:                                              ; preds = %128, %100
  %109 = load ptr, ptr %23, align 8
  %110 = getelementptr inbounds %struct.share, ptr %109, i64 %103
  %111 = load atomic i64, ptr %110 monotonic, align 64
  br label %112
112:                                              ; preds = %122, %108
  %113 = phi i64 [ %111, %108 ], [ %127, %122 ]
  %114 = lshr i64 %113, 16
  %115 = icmp eq i64 %114, %86
  %116 = trunc i64 %113 to i32
  %117 = and i32 %116, 65535
  %118 = select i1 %115, i32 %117, i32 0
  %119 = icmp ule i64 %114, %86
  %120 = icmp slt i32 %118, %95
  %121 = select i1 %119, i1 %120, i1 false
  br i1 %121, label %122, label %147
122:                                              ; preds = %112
  %123 = zext nneg i32 %118 to i64
  %124 = add i64 %105, %123
  %125 = cmpxchg weak ptr %110, i64 %113, i64 %124 seq_cst seq_cst, align 64
  %126 = extractvalue { i64, i1 } %125, 1
  %127 = extractvalue { i64, i1 } %125, 0
  br i1 %126, label %128, label %112
128:                                              ; preds = %122
  %129 = add nsw i32 %118, %106
  %130 = zext i32 %129 to i64
  %131 = mul nsw i64 %91, %130
  %132 = mul i32 %129, %92
  %133 = add i32 %132, %107
  %134 = udiv i32 %133, %93
  %135 = zext i32 %134 to i64
  %136 = add nsw i64 %131, %135
  %137 = add i32 %129, 1
  %138 = zext i32 %137 to i64
  %139 = mul nsw i64 %91, %138
  %140 = mul i32 %137, %92
  %141 = add i32 %140, %107
  %142 = udiv i32 %141, %93
  %143 = zext i32 %142 to i64
  %144 = add nsw i64 %139, %143
  call void %88(ptr noundef %90, i64 noundef %136, i64 noundef %144) #8
  %145 = load atomic i64, ptr %22 monotonic, align 8
  %146 = add nsw i64 %145, 1
  store atomic i64 %146, ptr %22 seq_cst, align 8
  br label %108
147:                                              ; preds = %112
  %148 = icmp sgt i32 %94, 1
  br i1 %148, label %149, label %204
149:                                              ; preds = %147
  %150 = icmp sgt i32 %95, 1
  br label %151
151:                                              ; preds = %149, %201
  %152 = phi i32 [ %202, %201 ], [ 1, %149 ]
  %153 = add nsw i32 %152, %102
  %154 = icmp slt i32 %153, %94
  %155 = select i1 %154, i32 0, i32 %94
  %156 = icmp ne i32 %153, %155
  %157 = select i1 %156, i1 true, i1 %150
  br i1 %157, label %158, label %201
158:                                              ; preds = %151
  %159 = sub nsw i32 %153, %155
  %160 = sext i32 %159 to i64
  %161 = mul nsw i32 %159, %95
  br label %162
162:                                              ; preds = %182, %158
  %163 = load ptr, ptr %23, align 8
  %164 = getelementptr inbounds %struct.share, ptr %163, i64 %160
  %165 = load atomic i64, ptr %164 monotonic, align 64
  br label %166
166:                                              ; preds = %176, %162
  %167 = phi i64 [ %165, %162 ], [ %181, %176 ]
  %168 = lshr i64 %167, 16
  %169 = icmp eq i64 %168, %86
  %170 = trunc i64 %167 to i32
  %171 = and i32 %170, 65535
  %172 = select i1 %169, i32 %171, i32 0
  %173 = icmp ule i64 %168, %86
  %174 = icmp slt i32 %172, %95
  %175 = select i1 %173, i1 %174, i1 false
  br i1 %175, label %176, label %201
176:                                              ; preds = %166
  %177 = zext nneg i32 %172 to i64
  %178 = add i64 %105, %177
  %179 = cmpxchg weak ptr %164, i64 %167, i64 %178 seq_cst seq_cst, align 64
  %180 = extractvalue { i64, i1 } %179, 1
  %181 = extractvalue { i64, i1 } %179, 0
  br i1 %180, label %182, label %166
182:                                              ; preds = %176
  %183 = add nsw i32 %172, %161
  %184 = zext i32 %183 to i64
  %185 = mul nsw i64 %91, %184
  %186 = mul i32 %183, %92
  %187 = add i32 %186, %107
  %188 = udiv i32 %187, %93
  %189 = zext i32 %188 to i64
  %190 = add nsw i64 %185, %189
  %191 = add i32 %183, 1
  %192 = zext i32 %191 to i64
  %193 = mul nsw i64 %91, %192
  %194 = mul i32 %191, %92
  %195 = add i32 %194, %107
  %196 = udiv i32 %195, %93
  %197 = zext i32 %196 to i64
  %198 = add nsw i64 %193, %197
  call void %88(ptr noundef %90, i64 noundef %190, i64 noundef %198) #8
  %199 = load atomic i64, ptr %22 monotonic, align 8
  %200 = add nsw i64 %199, 1
  store atomic i64 %200, ptr %22 seq_cst, align 8
  br label %162
201:                                              ; preds = %166, %151
  %202 = add nuw nsw i32 %152, 1
  %203 = icmp eq i32 %202, %94
  br i1 %203, label %204, label %151
204:                                              ; preds = %201, %147
  %205 = load atomic i32, ptr %24 seq_cst, align 4
  %206 = icmp eq i32 %205, 0
  br i1 %206, label %211, label %207
207:                                              ; preds = %204
  %208 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %209 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #8
  %210 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  br label %211
211:                                              ; preds = %85, %204, %207, %97, %82
  %212 = phi i64 [ %27, %82 ], [ %27, %97 ], [ %86, %207 ], [ %86, %204 ], [ %27, %85 ]
  %213 = load atomic i32, ptr %5 seq_cst, align 16
  %214 = icmp eq i32 %213, 0
  br i1 %214, label %26, label %215
215:                                              ; preds = %211, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i32 @sched_yield() local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #5
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i64 @llvm.smax.i64(i64, i64) #7
declare i64 @llvm.smin.i64(i64, i64) #7
declare i32 @llvm.umin.i32(i32, i32) #7
attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }
