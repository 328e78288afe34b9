; cbe4bf167ddd4a989727f303b3d0e0525bcdabae3c3dd03b0861caeabb09177a
; Made from pool.c and pool.h, which have that digest, by tools/make_pool_ir.py.

%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
define noundef ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %19, label %4
4:                                                ; preds = %1
  store ptr null, ptr %2, align 8
  %5 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 448) #8
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %17
7:                                                ; preds = %4
  %8 = call i32 @llvm.umin.i32(i32 %0, i32 1024)
  %9 = load ptr, ptr %2, align 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(280) %9, i8 0, i64 280, i1 false)
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 280
  store i32 %8, ptr %10, align 8
  %11 = getelementptr inbounds nuw i8, ptr %9, i64 284
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(164) %11, i8 0, i64 164, i1 false)
  %12 = zext nneg i32 %8 to i64
  %13 = call noalias ptr @calloc(i64 noundef %12, i64 noundef 8) #10
  %14 = getelementptr inbounds nuw i8, ptr %9, i64 424
  store ptr %13, ptr %14, align 8
  %15 = icmp eq ptr %13, null
  br i1 %15, label %16, label %17
16:                                               ; preds = %7
  call void @free(ptr noundef nonnull %9) #8
  br label %17
17:                                               ; preds = %7, %4, %16
  %18 = phi ptr [ null, %4 ], [ null, %16 ], [ %9, %7 ]
  br label %19
19:                                               ; preds = %1, %17
  %20 = phi ptr [ %18, %17 ], [ null, %1 ]
  ret ptr %20
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #4
declare void @free(ptr noundef) local_unnamed_addr #5
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %38, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 260
  %5 = load atomic i32, ptr %4 seq_cst, align 4
  %6 = tail call i32 @getpid() #8
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #8
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 284
  %16 = load i32, ptr %15, align 4
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 424
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 376
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
  %32 = load i32, ptr %15, align 4
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 424
  %37 = load ptr, ptr %36, align 8
  tail call void @free(ptr noundef %37) #8
  tail call void @free(ptr noundef nonnull %0) #8
  br label %38
38:                                               ; preds = %1, %35
  ret void
}
declare i32 @getpid() local_unnamed_addr #6
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #7
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #6
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %union.pthread_attr_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca %struct.__sigset_t, align 8
  %9 = icmp slt i64 %3, 1
  br i1 %9, label %155, label %10
10:                                               ; preds = %5
  %11 = tail call i64 @llvm.smax.i64(i64 %4, i64 1)
  %12 = icmp ne ptr %0, null
  %13 = icmp samesign ugt i64 %3, %11
  %14 = and i1 %12, %13
  br i1 %14, label %15, label %19
15:                                               ; preds = %10
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %17 = load i32, ptr %16, align 8
  %18 = icmp eq i32 %17, 1
  br i1 %18, label %19, label %20
19:                                               ; preds = %15, %10
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %155
20:                                               ; preds = %15
  %21 = tail call i32 @getpid() #8
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 260
  %23 = load atomic i32, ptr %22 seq_cst, align 4
  %24 = icmp eq i32 %23, %21
  br i1 %24, label %68, label %25
25:                                               ; preds = %20
  %26 = icmp eq i32 %23, -1
  br i1 %26, label %72, label %27
27:                                               ; preds = %25
  %28 = cmpxchg ptr %22, i32 %23, i32 -1 seq_cst seq_cst, align 4
  %29 = extractvalue { i32, i1 } %28, 1
  br i1 %29, label %30, label %72
30:                                               ; preds = %27
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %32 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %31, ptr noundef null) #8
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %34 = tail call i32 @pthread_cond_init(ptr noundef nonnull %33, ptr noundef null) #8
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 376
  %36 = tail call i32 @pthread_cond_init(ptr noundef nonnull %35, ptr noundef null) #8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 128
  store atomic i32 0, ptr %37 seq_cst, align 64
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 192
  store atomic i32 0, ptr %38 seq_cst, align 64
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 264
  store atomic i32 0, ptr %39 seq_cst, align 8
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 268
  store atomic i32 0, ptr %40 seq_cst, align 4
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 256
  store atomic i32 0, ptr %41 seq_cst, align 64
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 284
  store i32 0, ptr %42, align 4
  %43 = call i32 @pthread_attr_init(ptr noundef nonnull %6) #8
  %44 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %6, i64 noundef 4194304) #8
  %45 = call i32 @sigfillset(ptr noundef nonnull %7) #8
  %46 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef nonnull %8) #8
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 424
  %48 = load i32, ptr %42, align 4
  %49 = load i32, ptr %16, align 8
  %50 = add nsw i32 %49, -1
  %51 = icmp slt i32 %48, %50
  br i1 %51, label %52, label %65
52:                                               ; preds = %30, %59
  %53 = phi i32 [ %61, %59 ], [ %48, %30 ]
  %54 = load ptr, ptr %47, align 8
  %55 = sext i32 %53 to i64
  %56 = getelementptr inbounds i64, ptr %54, i64 %55
  %57 = call i32 @pthread_create(ptr noundef %56, ptr noundef nonnull %6, ptr noundef nonnull @work, ptr noundef nonnull %0) #8
  %58 = icmp eq i32 %57, 0
  br i1 %58, label %59, label %65
59:                                               ; preds = %52
  %60 = load i32, ptr %42, align 4
  %61 = add nsw i32 %60, 1
  store i32 %61, ptr %42, align 4
  %62 = load i32, ptr %16, align 8
  %63 = add nsw i32 %62, -1
  %64 = icmp slt i32 %61, %63
  br i1 %64, label %52, label %65
65:                                               ; preds = %59, %52, %30
  %66 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %8, ptr noundef null) #8
  %67 = call i32 @pthread_attr_destroy(ptr noundef nonnull %6) #8
  store atomic i32 %21, ptr %22 seq_cst, align 4
  br label %68
68:                                               ; preds = %65, %20
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %70 = atomicrmw xchg ptr %69, i32 1 seq_cst, align 64
  %71 = icmp eq i32 %70, 0
  br i1 %71, label %73, label %72
72:                                               ; preds = %25, %27, %68
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %155
73:                                               ; preds = %68
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 284
  %75 = load i32, ptr %74, align 4
  %76 = add nsw i32 %75, 1
  %77 = sext i32 %76 to i64
  %78 = shl nsw i64 %77, 2
  %79 = sdiv i64 %3, %78
  %80 = srem i64 %3, %78
  %81 = icmp ne i64 %80, 0
  %82 = zext i1 %81 to i64
  %83 = add nsw i64 %79, %82
  %84 = call i64 @llvm.smax.i64(i64 %83, i64 %11)
  store ptr %1, ptr %0, align 64
  %85 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %2, ptr %85, align 8
  %86 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %3, ptr %86, align 16
  %87 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %84, ptr %87, align 8
  %88 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i64 0, ptr %88 monotonic, align 64
  %89 = getelementptr inbounds nuw i8, ptr %0, i64 276
  %90 = load i32, ptr %89, align 4
  %91 = icmp eq i32 %90, -1
  %92 = add nuw i32 %90, 1
  %93 = select i1 %91, i32 1, i32 %92
  store i32 %93, ptr %89, align 4
  %94 = getelementptr inbounds nuw i8, ptr %0, i64 128
  store atomic i32 %93, ptr %94 seq_cst, align 64
  %95 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %96 = load atomic i32, ptr %95 seq_cst, align 8
  %97 = icmp sgt i32 %96, 0
  br i1 %97, label %98, label %104
98:                                               ; preds = %73
  %99 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %100 = call i32 @pthread_mutex_lock(ptr noundef nonnull %99) #8
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %102 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %101) #8
  %103 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %99) #8
  br label %104
104:                                              ; preds = %98, %73
  %105 = load i64, ptr %86, align 16
  %106 = load i64, ptr %87, align 8
  %107 = atomicrmw add ptr %88, i64 %106 monotonic, align 64
  %108 = icmp slt i64 %107, %105
  br i1 %108, label %109, label %119
109:                                              ; preds = %104, %109
  %110 = phi i64 [ %117, %109 ], [ %107, %104 ]
  %111 = load ptr, ptr %0, align 64
  %112 = load ptr, ptr %85, align 8
  %113 = sub nsw i64 %105, %110
  %114 = icmp slt i64 %113, %106
  %115 = add nsw i64 %110, %106
  %116 = select i1 %114, i64 %105, i64 %115
  call void %111(ptr noundef %112, i64 noundef %110, i64 noundef %116) #8
  %117 = atomicrmw add ptr %88, i64 %106 monotonic, align 64
  %118 = icmp slt i64 %117, %105
  br i1 %118, label %109, label %119
119:                                              ; preds = %109, %104
  store atomic i32 0, ptr %94 seq_cst, align 64
  %120 = getelementptr inbounds nuw i8, ptr %0, i64 192
  br label %121
121:                                              ; preds = %137, %119
  %122 = phi i32 [ 0, %119 ], [ %138, %137 ]
  %123 = load atomic i32, ptr %120 seq_cst, align 64
  %124 = icmp eq i32 %123, 0
  br i1 %124, label %154, label %125
125:                                              ; preds = %121
  call void @llvm.x86.sse2.pause()
  %126 = load atomic i32, ptr %120 seq_cst, align 64
  %127 = icmp eq i32 %126, 0
  br i1 %127, label %154, label %128
128:                                              ; preds = %125
  call void @llvm.x86.sse2.pause()
  %129 = load atomic i32, ptr %120 seq_cst, align 64
  %130 = icmp eq i32 %129, 0
  br i1 %130, label %154, label %131
131:                                              ; preds = %128
  call void @llvm.x86.sse2.pause()
  %132 = load atomic i32, ptr %120 seq_cst, align 64
  %133 = icmp eq i32 %132, 0
  br i1 %133, label %154, label %134
134:                                              ; preds = %131
  call void @llvm.x86.sse2.pause()
  %135 = load atomic i32, ptr %120 seq_cst, align 64
  %136 = icmp eq i32 %135, 0
  br i1 %136, label %154, label %137
137:                                              ; preds = %134
  call void @llvm.x86.sse2.pause()
  %138 = add nuw nsw i32 %122, 5
  %139 = icmp eq i32 %138, 4000
  br i1 %139, label %140, label %121
140:                                              ; preds = %137
  %141 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %142 = call i32 @pthread_mutex_lock(ptr noundef nonnull %141) #8
  %143 = getelementptr inbounds nuw i8, ptr %0, i64 268
  store atomic i32 1, ptr %143 seq_cst, align 4
  %144 = load atomic i32, ptr %120 seq_cst, align 64
  %145 = icmp eq i32 %144, 0
  br i1 %145, label %152, label %146
146:                                              ; preds = %140
  %147 = getelementptr inbounds nuw i8, ptr %0, i64 376
  br label %148
148:                                              ; preds = %148, %146
  %149 = call i32 @pthread_cond_wait(ptr noundef nonnull %147, ptr noundef nonnull %141) #8
  %150 = load atomic i32, ptr %120 seq_cst, align 64
  %151 = icmp eq i32 %150, 0
  br i1 %151, label %152, label %148
152:                                              ; preds = %148, %140
  store atomic i32 0, ptr %143 seq_cst, align 4
  %153 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %141) #8
  br label %154
154:                                              ; preds = %121, %125, %128, %131, %134, %152
  store atomic i32 0, ptr %69 seq_cst, align 64
  br label %155
155:                                              ; preds = %5, %154, %72, %19
  ret void
}
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %3 = load atomic i32, ptr %2 seq_cst, align 16
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %98
5:                                                ; preds = %1
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 268
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 376
  br label %17
17:                                               ; preds = %5, %95
  %18 = phi i32 [ 0, %5 ], [ %85, %95 ]
  %19 = load atomic i32, ptr %6 seq_cst, align 64
  %20 = icmp eq i32 %19, 0
  %21 = icmp eq i32 %19, %18
  %22 = or i1 %20, %21
  br i1 %22, label %23, label %35
23:                                               ; preds = %17, %29
  %24 = phi i32 [ %30, %29 ], [ 0, %17 ]
  %25 = load atomic i32, ptr %2 seq_cst, align 16
  %26 = icmp eq i32 %25, 0
  %27 = icmp samesign ult i32 %24, 2000
  %28 = select i1 %26, i1 %27, i1 false
  br i1 %28, label %29, label %35
29:                                               ; preds = %23
  tail call void @llvm.x86.sse2.pause()
  %30 = add nuw nsw i32 %24, 1
  %31 = load atomic i32, ptr %6 seq_cst, align 64
  %32 = icmp eq i32 %31, 0
  %33 = icmp eq i32 %31, %18
  %34 = or i1 %32, %33
  br i1 %34, label %23, label %35
35:                                               ; preds = %23, %29, %17
  %36 = load atomic i32, ptr %6 seq_cst, align 64
  %37 = icmp eq i32 %36, 0
  %38 = icmp eq i32 %36, %18
  %39 = or i1 %37, %38
  br i1 %39, label %40, label %62
40:                                               ; preds = %35
  %41 = load atomic i32, ptr %2 seq_cst, align 16
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %43, label %62
43:                                               ; preds = %40
  %44 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %7) #8
  %45 = atomicrmw add ptr %8, i32 1 seq_cst, align 8
  %46 = load atomic i32, ptr %6 seq_cst, align 64
  %47 = icmp eq i32 %46, 0
  %48 = icmp eq i32 %46, %18
  %49 = or i1 %47, %48
  br i1 %49, label %50, label %59
50:                                               ; preds = %43, %53
  %51 = load atomic i32, ptr %2 seq_cst, align 16
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %53, label %59
53:                                               ; preds = %50
  %54 = tail call i32 @pthread_cond_wait(ptr noundef nonnull %9, ptr noundef nonnull %7) #8
  %55 = load atomic i32, ptr %6 seq_cst, align 64
  %56 = icmp eq i32 %55, 0
  %57 = icmp eq i32 %55, %18
  %58 = or i1 %56, %57
  br i1 %58, label %50, label %59
59:                                               ; preds = %50, %53, %43
  %60 = atomicrmw sub ptr %8, i32 1 seq_cst, align 8
  %61 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %7) #8
  br label %62
62:                                               ; preds = %35, %59, %40
  %63 = atomicrmw add ptr %10, i32 1 seq_cst, align 64
  %64 = load atomic i32, ptr %6 seq_cst, align 64
  %65 = icmp eq i32 %64, 0
  br i1 %65, label %84, label %66
66:                                               ; preds = %62
  %67 = load atomic i32, ptr %2 seq_cst, align 16
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %69, label %84
69:                                               ; preds = %66
  %70 = load i64, ptr %11, align 16
  %71 = load i64, ptr %12, align 8
  %72 = atomicrmw add ptr %13, i64 %71 monotonic, align 64
  %73 = icmp slt i64 %72, %70
  br i1 %73, label %74, label %84
74:                                               ; preds = %69, %74
  %75 = phi i64 [ %82, %74 ], [ %72, %69 ]
  %76 = load ptr, ptr %0, align 64
  %77 = load ptr, ptr %14, align 8
  %78 = sub nsw i64 %70, %75
  %79 = icmp slt i64 %78, %71
  %80 = add nsw i64 %75, %71
  %81 = select i1 %79, i64 %70, i64 %80
  tail call void %76(ptr noundef %77, i64 noundef %75, i64 noundef %81) #8
  %82 = atomicrmw add ptr %13, i64 %71 monotonic, align 64
  %83 = icmp slt i64 %82, %70
  br i1 %83, label %74, label %84
84:                                               ; preds = %74, %69, %66, %62
  %85 = phi i32 [ %18, %66 ], [ %18, %62 ], [ %64, %69 ], [ %64, %74 ]
  %86 = atomicrmw sub ptr %10, i32 1 seq_cst, align 64
  %87 = icmp eq i32 %86, 1
  br i1 %87, label %88, label %95
88:                                               ; preds = %84
  %89 = load atomic i32, ptr %15 seq_cst, align 4
  %90 = icmp eq i32 %89, 0
  br i1 %90, label %95, label %91
91:                                               ; preds = %88
  %92 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %7) #8
  %93 = tail call i32 @pthread_cond_signal(ptr noundef nonnull %16) #8
  %94 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %7) #8
  br label %95
95:                                               ; preds = %84, %88, %91
  %96 = load atomic i32, ptr %2 seq_cst, align 16
  %97 = icmp eq i32 %96, 0
  br i1 %97, label %17, label %98
98:                                               ; preds = %95, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #7
declare void @llvm.x86.sse2.pause() #8
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #6
declare i64 @llvm.smax.i64(i64, i64) #9
declare i32 @llvm.umin.i32(i32, i32) #9
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
attributes #10 = { nounwind }
