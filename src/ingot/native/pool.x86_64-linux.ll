; 6c77e894499197378e188c72a3af2180beb59db9689839d739eb00290ab9b1fb
; Made from pool.c, pool_loop.h, pool_costs.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, [56 x i8], i64, i32, ptr, [40 x i8] }
%struct.timespec = type { i64, i64 }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.loop = type { i64, ptr, ptr, i64, i32, i32, i32, i32 }
%struct.cpu_set_t = type { [16 x i64] }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %98, label %4
4:                                                ; preds = %1
  %5 = tail call i32 @llvm.umin.i32(i32 %0, i32 1024)
  store ptr null, ptr %2, align 8
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 384) #10
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %96
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #10
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #10
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #10
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #10
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
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 32 dereferenceable(288) %23, i8 0, i64 288, i1 false)
  %24 = zext nneg i32 %5 to i64
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #14
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 240
  store ptr %25, ptr %27, align 16
  %28 = icmp eq ptr %25, null
  br i1 %28, label %41, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #10
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %39
34:                                               ; preds = %29
  %35 = and i64 %24, 3
  %36 = icmp ult i32 %0, 4
  br i1 %36, label %56, label %37
37:                                               ; preds = %34
  %38 = and i64 %24, 2044
  br label %71
39:                                               ; preds = %29
  %40 = load ptr, ptr %2, align 8
  br label %41
41:                                               ; preds = %39, %18
  %42 = phi ptr [ %40, %39 ], [ %26, %18 ]
  %43 = getelementptr inbounds nuw i8, ptr %42, i64 72
  store ptr null, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %42, i64 80
  %45 = load ptr, ptr %44, align 16
  %46 = icmp eq ptr %45, null
  br i1 %46, label %50, label %47
47:                                               ; preds = %41
  %48 = call i64 @sysconf(i32 noundef 30) #10
  %49 = call i32 @munmap(ptr noundef nonnull %45, i64 noundef %48) #10
  br label %50
50:                                               ; preds = %41, %47
  %51 = getelementptr inbounds nuw i8, ptr %42, i64 240
  %52 = load ptr, ptr %51, align 16
  call void @free(ptr noundef %52) #10
  %53 = load ptr, ptr %43, align 8
  call void @free(ptr noundef %53) #10
  call void @free(ptr noundef nonnull %42) #10
  br label %96
54:                                               ; preds = %71
  %55 = icmp eq i64 %35, 0
  br i1 %55, label %69, label %56
56:                                               ; preds = %54, %34
  %57 = phi i64 [ 0, %34 ], [ %93, %54 ]
  %58 = icmp ne i64 %35, 0
  call void @llvm.assume(i1 %58)
  br label %59
59:                                               ; preds = %59, %56
  %60 = phi i64 [ %66, %59 ], [ %57, %56 ]
  %61 = phi i64 [ %67, %59 ], [ 0, %56 ]
  %62 = load ptr, ptr %2, align 8
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 72
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds nuw %struct.share, ptr %64, i64 %60
  store i64 0, ptr %65, align 8
  %66 = add nuw nsw i64 %60, 1
  %67 = add i64 %61, 1
  %68 = icmp eq i64 %67, %35
  br i1 %68, label %69, label %59
69:                                               ; preds = %59, %54
  %70 = load ptr, ptr %2, align 8
  br label %96
71:                                               ; preds = %71, %37
  %72 = phi i64 [ 0, %37 ], [ %93, %71 ]
  %73 = phi i64 [ 0, %37 ], [ %94, %71 ]
  %74 = load ptr, ptr %2, align 8
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 72
  %76 = load ptr, ptr %75, align 8
  %77 = getelementptr inbounds nuw %struct.share, ptr %76, i64 %72
  store i64 0, ptr %77, align 8
  %78 = load ptr, ptr %2, align 8
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 72
  %80 = load ptr, ptr %79, align 8
  %81 = getelementptr inbounds nuw %struct.share, ptr %80, i64 %72
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 128
  store i64 0, ptr %82, align 8
  %83 = load ptr, ptr %2, align 8
  %84 = getelementptr inbounds nuw i8, ptr %83, i64 72
  %85 = load ptr, ptr %84, align 8
  %86 = getelementptr inbounds nuw %struct.share, ptr %85, i64 %72
  %87 = getelementptr inbounds nuw i8, ptr %86, i64 256
  store i64 0, ptr %87, align 8
  %88 = load ptr, ptr %2, align 8
  %89 = getelementptr inbounds nuw i8, ptr %88, i64 72
  %90 = load ptr, ptr %89, align 8
  %91 = getelementptr inbounds nuw %struct.share, ptr %90, i64 %72
  %92 = getelementptr inbounds nuw i8, ptr %91, i64 384
  store i64 0, ptr %92, align 8
  %93 = add nuw nsw i64 %72, 4
  %94 = add i64 %73, 4
  %95 = icmp eq i64 %94, %38
  br i1 %95, label %54, label %71
96:                                               ; preds = %4, %69, %50
  %97 = phi ptr [ %70, %69 ], [ null, %50 ], [ null, %4 ]
  br label %98
98:                                               ; preds = %1, %96
  %99 = phi ptr [ %97, %96 ], [ null, %1 ]
  ret ptr %99
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg) #4
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #5
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %47, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %5 = load atomic i32, ptr %4 seq_cst, align 8
  %6 = tail call i32 @getpid() #10
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #10
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 240
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #10
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #10
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #10
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 16
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #10
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
  %40 = tail call i64 @sysconf(i32 noundef 30) #10
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #10
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %44 = load ptr, ptr %43, align 16
  tail call void @free(ptr noundef %44) #10
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #10
  tail call void @free(ptr noundef nonnull %0) #10
  br label %47
47:                                               ; preds = %1, %42
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
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %union.pthread_attr_t, align 8
  %9 = alloca %struct.__sigset_t, align 8
  %10 = alloca %struct.__sigset_t, align 8
  %11 = alloca %struct.loop, align 8
  %12 = icmp slt i64 %3, 1
  br i1 %12, label %174, label %13
13:                                               ; preds = %5
  %14 = icmp sgt i64 %4, 1
  br i1 %14, label %15, label %17
15:                                               ; preds = %13
  %16 = udiv i64 %3, %4
  br label %17
17:                                               ; preds = %13, %15
  %18 = phi i64 [ %16, %15 ], [ %3, %13 ]
  %19 = icmp eq ptr %0, null
  %20 = icmp samesign ult i64 %18, 2
  %21 = or i1 %19, %20
  br i1 %21, label %26, label %22
22:                                               ; preds = %17
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %24 = load i32, ptr %23, align 4
  %25 = icmp eq i32 %24, 1
  br i1 %25, label %26, label %27
26:                                               ; preds = %22, %17
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %174
27:                                               ; preds = %22
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %29 = load ptr, ptr %28, align 16
  %30 = icmp eq ptr %29, null
  br i1 %30, label %34, label %31
31:                                               ; preds = %27
  %32 = load atomic i32, ptr %29 acquire, align 4
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %96
34:                                               ; preds = %31, %27
  %35 = tail call i32 @getpid() #10
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %37 = load atomic i32, ptr %36 seq_cst, align 8
  %38 = icmp eq i32 %37, %35
  br i1 %38, label %96, label %39
39:                                               ; preds = %34
  %40 = icmp eq i32 %37, -1
  br i1 %40, label %100, label %41
41:                                               ; preds = %39
  %42 = cmpxchg ptr %36, i32 %37, i32 -1 seq_cst seq_cst, align 8
  %43 = extractvalue { i32, i1 } %42, 1
  br i1 %43, label %44, label %100
44:                                               ; preds = %41
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %46 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %45, ptr noundef null) #10
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %48 = tail call i32 @pthread_cond_init(ptr noundef nonnull %47, ptr noundef null) #10
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %50 = tail call i32 @pthread_cond_init(ptr noundef nonnull %49, ptr noundef null) #10
  store atomic i64 0, ptr %0 seq_cst, align 64
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i32 0, ptr %51 seq_cst, align 64
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 0, ptr %52 seq_cst, align 4
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 256
  store atomic i32 0, ptr %53 seq_cst, align 64
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store i32 0, ptr %54, align 32
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store i64 0, ptr %55, align 16
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 288
  store i64 2, ptr %56, align 32
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 312
  store i32 0, ptr %57, align 8
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 296
  store <4 x i32> <i32 0, i32 4, i32 64, i32 64>, ptr %58, align 8
  %59 = call i32 @pthread_attr_init(ptr noundef nonnull %8) #10
  %60 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %8, i64 noundef 4194304) #10
  %61 = call i32 @sigfillset(ptr noundef nonnull %9) #10
  %62 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %9, ptr noundef nonnull %10) #10
  %63 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %64 = load i32, ptr %23, align 4
  %65 = icmp sgt i32 %64, 1
  br i1 %65, label %66, label %89
66:                                               ; preds = %44
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 240
  br label %68
68:                                               ; preds = %82, %66
  %69 = phi i64 [ 1, %66 ], [ %85, %82 ]
  %70 = load ptr, ptr %63, align 8
  %71 = getelementptr inbounds nuw %struct.share, ptr %70, i64 %69
  %72 = getelementptr inbounds nuw i8, ptr %71, i64 80
  store ptr %0, ptr %72, align 16
  %73 = getelementptr inbounds nuw i8, ptr %71, i64 72
  %74 = trunc nuw nsw i64 %69 to i32
  store i32 %74, ptr %73, align 8
  %75 = getelementptr inbounds nuw i8, ptr %71, i64 64
  store atomic i64 0, ptr %75 seq_cst, align 64
  %76 = load ptr, ptr %67, align 16
  %77 = load i32, ptr %54, align 32
  %78 = sext i32 %77 to i64
  %79 = getelementptr inbounds i64, ptr %76, i64 %78
  %80 = call i32 @pthread_create(ptr noundef %79, ptr noundef nonnull %8, ptr noundef nonnull @work, ptr noundef nonnull %71) #10
  %81 = icmp eq i32 %80, 0
  br i1 %81, label %82, label %89
82:                                               ; preds = %68
  %83 = load i32, ptr %54, align 32
  %84 = add nsw i32 %83, 1
  store i32 %84, ptr %54, align 32
  %85 = add nuw nsw i64 %69, 1
  %86 = load i32, ptr %23, align 4
  %87 = sext i32 %86 to i64
  %88 = icmp slt i64 %85, %87
  br i1 %88, label %68, label %89
89:                                               ; preds = %82, %68, %44
  %90 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %10, ptr noundef null) #10
  %91 = call i32 @pthread_attr_destroy(ptr noundef nonnull %8) #10
  store atomic i32 %35, ptr %36 seq_cst, align 8
  %92 = load ptr, ptr %28, align 16
  %93 = icmp eq ptr %92, null
  br i1 %93, label %95, label %94
94:                                               ; preds = %89
  store atomic i32 1, ptr %92 release, align 4
  br label %95
95:                                               ; preds = %94, %89
  br label %96
96:                                               ; preds = %31, %95, %34
  %97 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %98 = atomicrmw xchg ptr %97, i32 1 seq_cst, align 64
  %99 = icmp eq i32 %98, 0
  br i1 %99, label %101, label %100
100:                                              ; preds = %41, %39, %96
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %174
101:                                              ; preds = %96
  %102 = getelementptr inbounds nuw i8, ptr %0, i64 308
  %103 = load i32, ptr %102, align 4
  %104 = add nsw i32 %103, -1
  store i32 %104, ptr %102, align 4
  %105 = icmp slt i32 %103, 2
  br i1 %105, label %106, label %107
106:                                              ; preds = %101
  call fastcc void @weigh(ptr noundef %0)
  br label %107
107:                                              ; preds = %106, %101
  %108 = icmp slt i64 %4, 0
  br i1 %108, label %109, label %115
109:                                              ; preds = %107
  %110 = sub nsw i64 0, %4
  %111 = udiv i64 9223372036854775807, %110
  %112 = icmp samesign ult i64 %3, %111
  %113 = mul nuw nsw i64 %3, %110
  %114 = select i1 %112, i64 %113, i64 9223372036854775807
  br label %123
115:                                              ; preds = %107
  %116 = icmp samesign ugt i64 %4, 1
  br i1 %116, label %121, label %117
117:                                              ; preds = %115
  %118 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %119 = load i64, ptr %118, align 8
  %120 = call fastcc i32 @threads_for(ptr noundef %0, i64 noundef %18)
  br label %134
121:                                              ; preds = %115
  %122 = udiv i64 %3, %4
  br label %123
123:                                              ; preds = %109, %121
  %124 = phi i64 [ %114, %109 ], [ %122, %121 ]
  %125 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %126 = load i64, ptr %125, align 32
  %127 = icmp slt i64 %124, %126
  br i1 %127, label %128, label %129
128:                                              ; preds = %123
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  store atomic i32 0, ptr %97 seq_cst, align 64
  br label %174
129:                                              ; preds = %123
  %130 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %131 = load i64, ptr %130, align 8
  %132 = call fastcc i32 @threads_for(ptr noundef %0, i64 noundef %18)
  %133 = icmp slt i64 %4, 2
  br i1 %133, label %134, label %149
134:                                              ; preds = %117, %129
  %135 = phi i32 [ %120, %117 ], [ %132, %129 ]
  %136 = phi i64 [ %119, %117 ], [ %131, %129 ]
  %137 = phi ptr [ %118, %117 ], [ %130, %129 ]
  %138 = load i64, ptr %137, align 8
  %139 = icmp sgt i64 %138, %136
  %140 = icmp slt i64 %138, 64
  %141 = and i1 %139, %140
  br i1 %141, label %142, label %149
142:                                              ; preds = %134
  %143 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #10
  %144 = load i64, ptr %7, align 8
  %145 = mul nsw i64 %144, 1000000000
  %146 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %147 = load i64, ptr %146, align 8
  %148 = add nsw i64 %145, %147
  br label %149
149:                                              ; preds = %129, %134, %142
  %150 = phi i32 [ %135, %142 ], [ %132, %129 ], [ %135, %134 ]
  %151 = phi i64 [ %136, %142 ], [ %131, %129 ], [ %136, %134 ]
  %152 = phi ptr [ %137, %142 ], [ %130, %129 ], [ %137, %134 ]
  %153 = phi i64 [ %148, %142 ], [ 0, %129 ], [ 0, %134 ]
  %154 = icmp eq i32 %150, 1
  br i1 %154, label %155, label %156
155:                                              ; preds = %149
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %157
156:                                              ; preds = %149
  call fastcc void @publish(ptr dead_on_unwind writable sret(%struct.loop) align 8 %11, ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i32 noundef %150, i64 noundef %18)
  call fastcc void @share_out(ptr noundef %0, ptr noundef %11)
  br label %157
157:                                              ; preds = %156, %155
  %158 = icmp eq i64 %153, 0
  br i1 %158, label %173, label %159
159:                                              ; preds = %157
  %160 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #10
  %161 = load i64, ptr %6, align 8
  %162 = mul nsw i64 %161, 1000000000
  %163 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %164 = load i64, ptr %163, align 8
  %165 = sub i64 %164, %153
  %166 = add i64 %165, %162
  %167 = sdiv i64 %166, 1000
  %168 = add nsw i64 %167, %151
  %169 = load i64, ptr %152, align 8
  %170 = icmp slt i64 %168, %169
  %171 = call i64 @llvm.smin.i64(i64 %168, i64 64)
  %172 = select i1 %170, i64 %169, i64 %171
  store i64 %172, ptr %152, align 8
  br label %173
173:                                              ; preds = %159, %157
  store atomic i32 0, ptr %97 seq_cst, align 64
  br label %174
174:                                              ; preds = %26, %100, %128, %173, %5
  ret void
}
define internal fastcc void @weigh(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 312
  %8 = load i32, ptr %7, align 8
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %23, label %10
10:                                               ; preds = %1
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #10
  %12 = load i64, ptr %6, align 8
  %13 = mul nsw i64 %12, 1000000000
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = add nsw i64 %13, %15
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %18 = load i64, ptr %17, align 64
  %19 = sub i64 %16, %18
  %20 = icmp slt i64 %19, 60000
  br i1 %20, label %21, label %23
21:                                               ; preds = %10
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %22, align 4
  br label %242
23:                                               ; preds = %10, %1
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %25 = load atomic i32, ptr %24 seq_cst, align 64
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %27 = load i32, ptr %26, align 32
  %28 = icmp eq i32 %25, %27
  br i1 %28, label %47, label %29
29:                                               ; preds = %23
  %30 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %46 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %79
47:                                               ; preds = %23
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %49 = load i64, ptr %48, align 32
  %50 = icmp sgt i64 %49, 2
  br i1 %50, label %51, label %55
51:                                               ; preds = %47
  %52 = load i32, ptr %7, align 8
  %53 = icmp eq i32 %52, 0
  %54 = zext i1 %53 to i32
  store i32 %54, ptr %7, align 8
  br i1 %53, label %60, label %56
55:                                               ; preds = %47
  store i32 0, ptr %7, align 8
  br label %56
56:                                               ; preds = %51, %55
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %58 = load i32, ptr %57, align 16
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %58, ptr %59, align 4
  br label %242
60:                                               ; preds = %51
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %61, align 4
  %62 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #10
  %63 = load i64, ptr %5, align 8
  %64 = mul nsw i64 %63, 1000000000
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %66 = load i64, ptr %65, align 8
  %67 = add nsw i64 %64, %66
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store i64 %67, ptr %68, align 64
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %70 = call i32 @pthread_mutex_lock(ptr noundef nonnull %69) #10
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %72 = load i32, ptr %71, align 4
  %73 = add i32 %72, 1
  store i32 %73, ptr %71, align 4
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %69) #10
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %76 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %75) #10
  br label %242
77:                                               ; preds = %196
  %78 = icmp eq i64 %209, 9223372036854775807
  br i1 %78, label %214, label %215
79:                                               ; preds = %29, %196
  %80 = phi i64 [ 9223372036854775807, %29 ], [ %209, %196 ]
  %81 = phi i32 [ 0, %29 ], [ %210, %196 ]
  %82 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #10
  %83 = load i64, ptr %4, align 8
  %84 = load i64, ptr %30, align 8
  %85 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #10
  %86 = load i64, ptr %3, align 8
  %87 = load i64, ptr %31, align 8
  %88 = load i64, ptr %32, align 8
  %89 = add i64 %88, 1
  store i64 %89, ptr %32, align 8
  store atomic i64 0, ptr %0 monotonic, align 64
  store atomic i64 ptrtoint (ptr @do_nothing to i64), ptr %33 release, align 8
  store atomic i64 0, ptr %34 release, align 16
  store atomic i64 1, ptr %35 release, align 8
  store atomic i32 0, ptr %36 release, align 32
  store atomic i32 2, ptr %37 release, align 4
  store atomic i32 2, ptr %38 release, align 8
  store atomic i32 1, ptr %39 release, align 4
  store atomic i64 %89, ptr %0 seq_cst, align 64
  %90 = load i64, ptr %40, align 8
  %91 = icmp sgt i64 %90, 63
  br i1 %91, label %92, label %101
92:                                               ; preds = %79
  %93 = load atomic i32, ptr %24 seq_cst, align 64
  %94 = icmp sgt i32 %93, 0
  br i1 %94, label %95, label %101
95:                                               ; preds = %92
  store i64 0, ptr %40, align 8
  %96 = call i32 @pthread_mutex_lock(ptr noundef nonnull %41) #10
  %97 = load i32, ptr %42, align 4
  %98 = add i32 %97, 1
  store i32 %98, ptr %42, align 4
  %99 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %41) #10
  %100 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %43) #10
  br label %101
101:                                              ; preds = %95, %92, %79
  %102 = shl i64 %89, 16
  %103 = or disjoint i64 %102, 1
  br label %104
104:                                              ; preds = %121, %101
  %105 = phi i32 [ 0, %101 ], [ %122, %121 ]
  %106 = load ptr, ptr %44, align 8
  %107 = load atomic i64, ptr %106 monotonic, align 64
  br label %108
108:                                              ; preds = %117, %104
  %109 = phi i64 [ %107, %104 ], [ %120, %117 ]
  %110 = lshr i64 %109, 16
  %111 = icmp ne i64 %110, %89
  %112 = icmp ule i64 %110, %89
  %113 = and i64 %109, 65535
  %114 = icmp eq i64 %113, 0
  %115 = or i1 %111, %114
  %116 = and i1 %112, %115
  br i1 %116, label %117, label %123
117:                                              ; preds = %108
  %118 = cmpxchg weak ptr %106, i64 %109, i64 %103 seq_cst seq_cst, align 64
  %119 = extractvalue { i64, i1 } %118, 1
  %120 = extractvalue { i64, i1 } %118, 0
  br i1 %119, label %121, label %108
121:                                              ; preds = %117
  %122 = add nuw nsw i32 %105, 1
  br label %104
123:                                              ; preds = %108
  %124 = zext nneg i32 %105 to i64
  %125 = load i64, ptr %45, align 16
  %126 = sub i64 %125, %124
  %127 = add i64 %126, 2
  store i64 %127, ptr %45, align 16
  %128 = load i32, ptr %26, align 32
  %129 = icmp slt i32 %128, 1
  br i1 %129, label %144, label %130
130:                                              ; preds = %123, %130
  %131 = phi i64 [ %138, %130 ], [ 1, %123 ]
  %132 = phi i64 [ %137, %130 ], [ 0, %123 ]
  %133 = load ptr, ptr %44, align 8
  %134 = getelementptr inbounds nuw %struct.share, ptr %133, i64 %131
  %135 = getelementptr inbounds nuw i8, ptr %134, i64 64
  %136 = load atomic i64, ptr %135 seq_cst, align 64
  %137 = add nsw i64 %136, %132
  %138 = add nuw nsw i64 %131, 1
  %139 = load i32, ptr %26, align 32
  %140 = sext i32 %139 to i64
  %141 = icmp slt i64 %131, %140
  br i1 %141, label %130, label %142
142:                                              ; preds = %130
  %143 = load i64, ptr %45, align 16
  br label %144
144:                                              ; preds = %142, %123
  %145 = phi i64 [ %127, %123 ], [ %143, %142 ]
  %146 = phi i64 [ 0, %123 ], [ %137, %142 ]
  %147 = icmp eq i64 %146, %145
  br i1 %147, label %148, label %173
148:                                              ; preds = %189, %144
  %149 = phi i1 [ true, %144 ], [ %192, %189 ]
  %150 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
  %151 = load i64, ptr %2, align 8
  %152 = load i64, ptr %46, align 8
  br label %153
153:                                              ; preds = %171, %148
  %154 = phi i32 [ 0, %148 ], [ %172, %171 ]
  %155 = load ptr, ptr %44, align 8
  %156 = getelementptr inbounds nuw i8, ptr %155, i64 128
  %157 = load atomic i64, ptr %156 monotonic, align 64
  br label %158
158:                                              ; preds = %167, %153
  %159 = phi i64 [ %157, %153 ], [ %170, %167 ]
  %160 = lshr i64 %159, 16
  %161 = icmp ne i64 %160, %89
  %162 = icmp ule i64 %160, %89
  %163 = and i64 %159, 65535
  %164 = icmp eq i64 %163, 0
  %165 = or i1 %161, %164
  %166 = and i1 %162, %165
  br i1 %166, label %167, label %196
167:                                              ; preds = %158
  %168 = cmpxchg weak ptr %156, i64 %159, i64 %103 seq_cst seq_cst, align 64
  %169 = extractvalue { i64, i1 } %168, 1
  %170 = extractvalue { i64, i1 } %168, 0
  br i1 %169, label %171, label %158
171:                                              ; preds = %167
  %172 = add nuw nsw i32 %154, 1
  br label %153
173:                                              ; preds = %144, %189
  %174 = phi i32 [ %193, %189 ], [ 0, %144 ]
  call void @llvm.x86.sse2.pause()
  %175 = load i32, ptr %26, align 32
  %176 = icmp slt i32 %175, 1
  br i1 %176, label %189, label %177
177:                                              ; preds = %173, %177
  %178 = phi i64 [ %185, %177 ], [ 1, %173 ]
  %179 = phi i64 [ %184, %177 ], [ 0, %173 ]
  %180 = load ptr, ptr %44, align 8
  %181 = getelementptr inbounds nuw %struct.share, ptr %180, i64 %178
  %182 = getelementptr inbounds nuw i8, ptr %181, i64 64
  %183 = load atomic i64, ptr %182 seq_cst, align 64
  %184 = add nsw i64 %183, %179
  %185 = add nuw nsw i64 %178, 1
  %186 = load i32, ptr %26, align 32
  %187 = sext i32 %186 to i64
  %188 = icmp slt i64 %178, %187
  br i1 %188, label %177, label %189
189:                                              ; preds = %177, %173
  %190 = phi i64 [ 0, %173 ], [ %184, %177 ]
  %191 = load i64, ptr %45, align 16
  %192 = icmp eq i64 %190, %191
  %193 = add nuw nsw i32 %174, 1
  %194 = icmp samesign ugt i32 %174, 126
  %195 = select i1 %194, i1 true, i1 %192
  br i1 %195, label %148, label %173
196:                                              ; preds = %158
  %197 = zext nneg i32 %154 to i64
  %198 = mul i64 %86, 9223372035854775808
  %199 = sub i64 %198, %87
  %200 = load i64, ptr %45, align 16
  %201 = sub nsw i64 %200, %197
  store i64 %201, ptr %45, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %202 = shl i64 %199, 1
  %203 = add i64 %151, %83
  %204 = mul i64 %203, 1000000000
  %205 = add i64 %202, %84
  %206 = add i64 %205, %152
  %207 = add i64 %206, %204
  %208 = select i1 %149, i64 %207, i64 9223372036854775807
  %209 = call i64 @llvm.smin.i64(i64 %208, i64 %80)
  %210 = add nuw nsw i32 %81, 1
  %211 = icmp samesign ult i32 %81, 3
  %212 = icmp sgt i64 %209, 300
  %213 = select i1 %211, i1 %212, i1 false
  br i1 %213, label %79, label %77
214:                                              ; preds = %77
  call fastcc void @send_away(ptr noundef %0)
  br label %225
215:                                              ; preds = %77
  br i1 %212, label %216, label %223
216:                                              ; preds = %215
  %217 = icmp samesign ult i64 %209, 895
  br i1 %217, label %218, label %225
218:                                              ; preds = %216
  %219 = trunc nuw nsw i64 %209 to i16
  %220 = mul nuw nsw i16 %219, 24
  %221 = udiv i16 %220, 500
  %222 = zext nneg i16 %221 to i64
  br label %225
223:                                              ; preds = %215
  %224 = getelementptr inbounds nuw i8, ptr %0, i64 304
  store i32 1024, ptr %224, align 16
  br label %237
225:                                              ; preds = %218, %216, %214
  %226 = phi i64 [ 43, %214 ], [ 43, %216 ], [ %222, %218 ]
  %227 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %228 = load i64, ptr %227, align 32
  %229 = icmp slt i64 %228, 3
  %230 = getelementptr inbounds nuw i8, ptr %0, i64 304
  br i1 %229, label %231, label %232
231:                                              ; preds = %225
  store i32 64, ptr %230, align 16
  br label %237
232:                                              ; preds = %225
  %233 = load i32, ptr %230, align 16
  %234 = icmp slt i32 %233, 1024
  br i1 %234, label %235, label %237
235:                                              ; preds = %232
  %236 = shl nsw i32 %233, 1
  store i32 %236, ptr %230, align 16
  br label %237
237:                                              ; preds = %231, %235, %232, %223
  %238 = phi i32 [ 64, %231 ], [ %236, %235 ], [ %233, %232 ], [ 1024, %223 ]
  %239 = phi i64 [ %226, %231 ], [ %226, %235 ], [ %226, %232 ], [ 2, %223 ]
  %240 = getelementptr inbounds nuw i8, ptr %0, i64 288
  store i64 %239, ptr %240, align 32
  %241 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %238, ptr %241, align 4
  store i32 0, ptr %7, align 8
  br label %242
242:                                              ; preds = %56, %60, %237, %21
  ret void
}
define internal fastcc i32 @threads_for(ptr noundef nonnull %0, i64 noundef range(i64 2, -9223372036854775808) %1) unnamed_addr #8 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %4 = load i32, ptr %3, align 32
  %5 = add nsw i32 %4, 1
  %6 = sext i32 %5 to i64
  %7 = tail call i64 @llvm.smin.i64(i64 %1, i64 %6)
  %8 = trunc nsw i64 %7 to i32
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %10 = load atomic i32, ptr %9 seq_cst, align 64
  %11 = sub nsw i32 %5, %10
  %12 = icmp slt i32 %11, %8
  br i1 %12, label %15, label %13
13:                                               ; preds = %2
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 280
  store i64 0, ptr %14, align 8
  br label %29
15:                                               ; preds = %2
  %16 = sext i32 %11 to i64
  %17 = sdiv i64 %1, %16
  %18 = sdiv i64 %1, %7
  %19 = sub nsw i64 %17, %18
  %20 = icmp slt i64 %19, 64
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 280
  br i1 %20, label %23, label %22
22:                                               ; preds = %15
  store i64 64, ptr %21, align 8
  br label %29
23:                                               ; preds = %15
  %24 = load i64, ptr %21, align 8
  %25 = add nsw i64 %24, %19
  %26 = freeze i64 %25
  store i64 %26, ptr %21, align 8
  %27 = icmp slt i64 %26, 64
  %28 = select i1 %27, i32 %11, i32 %8
  br label %29
29:                                               ; preds = %23, %22, %13
  %30 = phi i32 [ %8, %13 ], [ %8, %22 ], [ %28, %23 ]
  ret i32 %30
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
  %26 = srem i64 %4, %23
  %27 = trunc nuw nsw i64 %26 to i32
  store i32 %27, ptr %25, align 8
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store i32 %16, ptr %28, align 4
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i32 %5, ptr %29, align 8
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store i32 %15, ptr %30, align 4
  store atomic i64 0, ptr %1 monotonic, align 64
  %31 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %32 = ptrtoint ptr %2 to i64
  store atomic i64 %32, ptr %31 release, align 8
  %33 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %34 = ptrtoint ptr %3 to i64
  store atomic i64 %34, ptr %33 release, align 16
  %35 = getelementptr inbounds nuw i8, ptr %1, i64 24
  store atomic i64 %24, ptr %35 release, align 8
  %36 = getelementptr inbounds nuw i8, ptr %1, i64 32
  store atomic i32 %27, ptr %36 release, align 32
  %37 = getelementptr inbounds nuw i8, ptr %1, i64 36
  store atomic i32 %16, ptr %37 release, align 4
  %38 = getelementptr inbounds nuw i8, ptr %1, i64 40
  store atomic i32 %5, ptr %38 release, align 8
  %39 = getelementptr inbounds nuw i8, ptr %1, i64 44
  store atomic i32 %15, ptr %39 release, align 4
  store atomic i64 %19, ptr %1 seq_cst, align 64
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 280
  %41 = load i64, ptr %40, align 8
  %42 = icmp sgt i64 %41, 63
  br i1 %42, label %43, label %56
43:                                               ; preds = %14
  %44 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %45 = load atomic i32, ptr %44 seq_cst, align 64
  %46 = icmp sgt i32 %45, 0
  br i1 %46, label %47, label %56
47:                                               ; preds = %43
  store i64 0, ptr %40, align 8
  %48 = getelementptr inbounds nuw i8, ptr %1, i64 104
  %49 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %48) #10
  %50 = getelementptr inbounds nuw i8, ptr %1, i64 100
  %51 = load i32, ptr %50, align 4
  %52 = add i32 %51, 1
  store i32 %52, ptr %50, align 4
  %53 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %48) #10
  %54 = getelementptr inbounds nuw i8, ptr %1, i64 144
  %55 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %54) #10
  br label %56
56:                                               ; preds = %47, %43, %14
  ret void
}
define internal fastcc void @share_out(ptr noundef nonnull %0, ptr noundef nonnull readonly %1) unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 44
  %5 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 36
  br label %10
10:                                               ; preds = %34, %2
  %11 = phi i32 [ 0, %2 ], [ %55, %34 ]
  %12 = load ptr, ptr %3, align 8
  %13 = load atomic i64, ptr %12 monotonic, align 64
  br label %14
14:                                               ; preds = %26, %10
  %15 = phi i64 [ %13, %10 ], [ %33, %26 ]
  %16 = lshr i64 %15, 16
  %17 = load i64, ptr %1, align 8
  %18 = icmp eq i64 %16, %17
  %19 = trunc i64 %15 to i32
  %20 = and i32 %19, 65535
  %21 = select i1 %18, i32 %20, i32 0
  %22 = icmp ugt i64 %16, %17
  br i1 %22, label %56, label %23
23:                                               ; preds = %14
  %24 = load i32, ptr %4, align 4
  %25 = icmp slt i32 %21, %24
  br i1 %25, label %26, label %56
26:                                               ; preds = %23
  %27 = shl i64 %17, 16
  %28 = zext nneg i32 %21 to i64
  %29 = or disjoint i64 %27, 1
  %30 = add i64 %29, %28
  %31 = cmpxchg weak ptr %12, i64 %15, i64 %30 seq_cst seq_cst, align 64
  %32 = extractvalue { i64, i1 } %31, 1
  %33 = extractvalue { i64, i1 } %31, 0
  br i1 %32, label %34, label %14
34:                                               ; preds = %26
  %35 = load ptr, ptr %5, align 8
  %36 = load ptr, ptr %6, align 8
  %37 = load i64, ptr %7, align 8
  %38 = mul nsw i64 %37, %28
  %39 = load i32, ptr %8, align 8
  %40 = mul i32 %39, %21
  %41 = load i32, ptr %9, align 4
  %42 = add i32 %41, -1
  %43 = add i32 %42, %40
  %44 = udiv i32 %43, %41
  %45 = zext i32 %44 to i64
  %46 = add nsw i64 %38, %45
  %47 = add nuw nsw i32 %21, 1
  %48 = zext nneg i32 %47 to i64
  %49 = mul nsw i64 %37, %48
  %50 = mul i32 %39, %47
  %51 = add i32 %42, %50
  %52 = udiv i32 %51, %41
  %53 = zext i32 %52 to i64
  %54 = add nsw i64 %49, %53
  tail call void %35(ptr noundef %36, i64 noundef %46, i64 noundef %54) #10
  %55 = add nuw nsw i32 %11, 1
  br label %10
56:                                               ; preds = %14, %23
  %57 = load i32, ptr %9, align 4
  %58 = zext i32 %57 to i64
  %59 = zext nneg i32 %11 to i64
  %60 = sub nsw i64 %58, %59
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %62 = load i64, ptr %61, align 16
  %63 = add nsw i64 %60, %62
  store i64 %63, ptr %61, align 16
  %64 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %65 = load i32, ptr %64, align 32
  %66 = icmp slt i32 %65, 1
  br i1 %66, label %81, label %67
67:                                               ; preds = %56, %67
  %68 = phi i64 [ %75, %67 ], [ 1, %56 ]
  %69 = phi i64 [ %74, %67 ], [ 0, %56 ]
  %70 = load ptr, ptr %3, align 8
  %71 = getelementptr inbounds nuw %struct.share, ptr %70, i64 %68
  %72 = getelementptr inbounds nuw i8, ptr %71, i64 64
  %73 = load atomic i64, ptr %72 seq_cst, align 64
  %74 = add nsw i64 %73, %69
  %75 = add nuw nsw i64 %68, 1
  %76 = load i32, ptr %64, align 32
  %77 = sext i32 %76 to i64
  %78 = icmp slt i64 %68, %77
  br i1 %78, label %67, label %79
79:                                               ; preds = %67
  %80 = load i64, ptr %61, align 16
  br label %81
81:                                               ; preds = %79, %56
  %82 = phi i32 [ %65, %56 ], [ %76, %79 ]
  %83 = phi i64 [ %63, %56 ], [ %80, %79 ]
  %84 = phi i64 [ 0, %56 ], [ %74, %79 ]
  %85 = icmp eq i64 %84, %83
  br i1 %85, label %86, label %105
86:                                               ; preds = %165, %160, %140, %120, %81
  %87 = phi i32 [ %166, %165 ], [ %161, %160 ], [ %141, %140 ], [ %121, %120 ], [ %82, %81 ]
  %88 = icmp slt i32 %87, 1
  br i1 %88, label %101, label %89
89:                                               ; preds = %86, %89
  %90 = phi i64 [ %97, %89 ], [ 1, %86 ]
  %91 = phi i64 [ %96, %89 ], [ 0, %86 ]
  %92 = load ptr, ptr %3, align 8
  %93 = getelementptr inbounds nuw %struct.share, ptr %92, i64 %90
  %94 = getelementptr inbounds nuw i8, ptr %93, i64 64
  %95 = load atomic i64, ptr %94 seq_cst, align 64
  %96 = add nsw i64 %95, %91
  %97 = add nuw nsw i64 %90, 1
  %98 = load i32, ptr %64, align 32
  %99 = sext i32 %98 to i64
  %100 = icmp slt i64 %90, %99
  br i1 %100, label %89, label %101
101:                                              ; preds = %89, %86
  %102 = phi i64 [ 0, %86 ], [ %96, %89 ]
  %103 = load i64, ptr %61, align 16
  %104 = icmp eq i64 %102, %103
  br i1 %104, label %245, label %167
105:                                              ; preds = %81
  tail call void @llvm.x86.sse2.pause()
  %106 = load i32, ptr %64, align 32
  %107 = icmp slt i32 %106, 1
  br i1 %107, label %120, label %108
108:                                              ; preds = %105, %108
  %109 = phi i64 [ %116, %108 ], [ 1, %105 ]
  %110 = phi i64 [ %115, %108 ], [ 0, %105 ]
  %111 = load ptr, ptr %3, align 8
  %112 = getelementptr inbounds nuw %struct.share, ptr %111, i64 %109
  %113 = getelementptr inbounds nuw i8, ptr %112, i64 64
  %114 = load atomic i64, ptr %113 seq_cst, align 64
  %115 = add nsw i64 %114, %110
  %116 = add nuw nsw i64 %109, 1
  %117 = load i32, ptr %64, align 32
  %118 = sext i32 %117 to i64
  %119 = icmp slt i64 %109, %118
  br i1 %119, label %108, label %120
120:                                              ; preds = %108, %105
  %121 = phi i32 [ %106, %105 ], [ %117, %108 ]
  %122 = phi i64 [ 0, %105 ], [ %115, %108 ]
  %123 = load i64, ptr %61, align 16
  %124 = icmp eq i64 %122, %123
  br i1 %124, label %86, label %125
125:                                              ; preds = %120
  tail call void @llvm.x86.sse2.pause()
  %126 = load i32, ptr %64, align 32
  %127 = icmp slt i32 %126, 1
  br i1 %127, label %140, label %128
128:                                              ; preds = %125, %128
  %129 = phi i64 [ %136, %128 ], [ 1, %125 ]
  %130 = phi i64 [ %135, %128 ], [ 0, %125 ]
  %131 = load ptr, ptr %3, align 8
  %132 = getelementptr inbounds nuw %struct.share, ptr %131, i64 %129
  %133 = getelementptr inbounds nuw i8, ptr %132, i64 64
  %134 = load atomic i64, ptr %133 seq_cst, align 64
  %135 = add nsw i64 %134, %130
  %136 = add nuw nsw i64 %129, 1
  %137 = load i32, ptr %64, align 32
  %138 = sext i32 %137 to i64
  %139 = icmp slt i64 %129, %138
  br i1 %139, label %128, label %140
140:                                              ; preds = %128, %125
  %141 = phi i32 [ %126, %125 ], [ %137, %128 ]
  %142 = phi i64 [ 0, %125 ], [ %135, %128 ]
  %143 = load i64, ptr %61, align 16
  %144 = icmp eq i64 %142, %143
  br i1 %144, label %86, label %145
145:                                              ; preds = %140
  tail call void @llvm.x86.sse2.pause()
  %146 = load i32, ptr %64, align 32
  %147 = icmp slt i32 %146, 1
  br i1 %147, label %160, label %148
148:                                              ; preds = %145, %148
  %149 = phi i64 [ %156, %148 ], [ 1, %145 ]
  %150 = phi i64 [ %155, %148 ], [ 0, %145 ]
  %151 = load ptr, ptr %3, align 8
  %152 = getelementptr inbounds nuw %struct.share, ptr %151, i64 %149
  %153 = getelementptr inbounds nuw i8, ptr %152, i64 64
  %154 = load atomic i64, ptr %153 seq_cst, align 64
  %155 = add nsw i64 %154, %150
  %156 = add nuw nsw i64 %149, 1
  %157 = load i32, ptr %64, align 32
  %158 = sext i32 %157 to i64
  %159 = icmp slt i64 %149, %158
  br i1 %159, label %148, label %160
160:                                              ; preds = %148, %145
  %161 = phi i32 [ %146, %145 ], [ %157, %148 ]
  %162 = phi i64 [ 0, %145 ], [ %155, %148 ]
  %163 = load i64, ptr %61, align 16
  %164 = icmp eq i64 %162, %163
  br i1 %164, label %86, label %165
165:                                              ; preds = %160
  tail call void @llvm.x86.sse2.pause()
  %166 = load i32, ptr %64, align 32
  br label %86
167:                                              ; preds = %101
  %168 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %169 = load i32, ptr %168, align 8
  %170 = icmp sgt i32 %169, 1
  br i1 %170, label %171, label %245
171:                                              ; preds = %167, %238
  %172 = phi i32 [ %239, %238 ], [ %169, %167 ]
  %173 = phi i32 [ %240, %238 ], [ 0, %167 ]
  %174 = phi i32 [ %241, %238 ], [ 1, %167 ]
  %175 = icmp slt i32 %174, %172
  %176 = select i1 %175, i32 0, i32 %172
  %177 = sub nsw i32 %174, %176
  %178 = icmp eq i32 %174, %176
  br i1 %178, label %179, label %182
179:                                              ; preds = %171
  %180 = load i32, ptr %4, align 4
  %181 = icmp sgt i32 %180, 1
  br i1 %181, label %182, label %238
182:                                              ; preds = %179, %171
  %183 = sext i32 %177 to i64
  br label %184
184:                                              ; preds = %209, %182
  %185 = phi i32 [ 0, %182 ], [ %234, %209 ]
  %186 = load ptr, ptr %3, align 8
  %187 = getelementptr inbounds %struct.share, ptr %186, i64 %183
  %188 = load atomic i64, ptr %187 monotonic, align 64
  br label %189
189:                                              ; preds = %201, %184
  %190 = phi i64 [ %188, %184 ], [ %208, %201 ]
  %191 = lshr i64 %190, 16
  %192 = load i64, ptr %1, align 8
  %193 = icmp eq i64 %191, %192
  %194 = trunc i64 %190 to i32
  %195 = and i32 %194, 65535
  %196 = select i1 %193, i32 %195, i32 0
  %197 = icmp ugt i64 %191, %192
  br i1 %197, label %235, label %198
198:                                              ; preds = %189
  %199 = load i32, ptr %4, align 4
  %200 = icmp slt i32 %196, %199
  br i1 %200, label %201, label %235
201:                                              ; preds = %198
  %202 = shl i64 %192, 16
  %203 = zext nneg i32 %196 to i64
  %204 = or disjoint i64 %202, 1
  %205 = add i64 %204, %203
  %206 = cmpxchg weak ptr %187, i64 %190, i64 %205 seq_cst seq_cst, align 64
  %207 = extractvalue { i64, i1 } %206, 1
  %208 = extractvalue { i64, i1 } %206, 0
  br i1 %207, label %209, label %189
209:                                              ; preds = %201
  %210 = load i32, ptr %4, align 4
  %211 = mul nsw i32 %210, %177
  %212 = add nsw i32 %211, %196
  %213 = load ptr, ptr %5, align 8
  %214 = load ptr, ptr %6, align 8
  %215 = load i64, ptr %7, align 8
  %216 = zext i32 %212 to i64
  %217 = mul nsw i64 %215, %216
  %218 = load i32, ptr %8, align 8
  %219 = mul i32 %218, %212
  %220 = load i32, ptr %9, align 4
  %221 = add i32 %220, -1
  %222 = add i32 %221, %219
  %223 = udiv i32 %222, %220
  %224 = zext i32 %223 to i64
  %225 = add nsw i64 %217, %224
  %226 = add i32 %212, 1
  %227 = zext i32 %226 to i64
  %228 = mul nsw i64 %215, %227
  %229 = mul i32 %218, %226
  %230 = add i32 %221, %229
  %231 = udiv i32 %230, %220
  %232 = zext i32 %231 to i64
  %233 = add nsw i64 %228, %232
  tail call void %213(ptr noundef %214, i64 noundef %225, i64 noundef %233) #10
  %234 = add nuw nsw i32 %185, 1
  br label %184
235:                                              ; preds = %198, %189
  %236 = add nsw i32 %185, %173
  %237 = load i32, ptr %168, align 8
  br label %238
238:                                              ; preds = %235, %179
  %239 = phi i32 [ %237, %235 ], [ %172, %179 ]
  %240 = phi i32 [ %236, %235 ], [ %173, %179 ]
  %241 = add nuw nsw i32 %174, 1
  %242 = icmp slt i32 %241, %239
  br i1 %242, label %171, label %243
243:                                              ; preds = %238
  %244 = load i64, ptr %61, align 16
  br label %245
245:                                              ; preds = %243, %167, %101
  %246 = phi i64 [ %102, %101 ], [ %103, %167 ], [ %244, %243 ]
  %247 = phi i32 [ 0, %101 ], [ 0, %167 ], [ %240, %243 ]
  %248 = sext i32 %247 to i64
  %249 = sub nsw i64 %246, %248
  store i64 %249, ptr %61, align 16
  %250 = add nsw i32 %247, %11
  %251 = load i32, ptr %9, align 4
  %252 = icmp ult i32 %250, %251
  %253 = getelementptr inbounds nuw i8, ptr %0, i64 296
  br i1 %252, label %254, label %260
254:                                              ; preds = %245
  store i32 0, ptr %253, align 8
  %255 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %256 = load i32, ptr %255, align 4
  %257 = icmp sgt i32 %256, 4
  %258 = sext i1 %257 to i32
  %259 = add i32 %256, %258
  store i32 %259, ptr %255, align 4
  br label %269
260:                                              ; preds = %245
  %261 = load i32, ptr %253, align 8
  %262 = add nsw i32 %261, 1
  store i32 %262, ptr %253, align 8
  %263 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %264 = load i32, ptr %263, align 4
  %265 = icmp slt i32 %262, %264
  br i1 %265, label %269, label %266
266:                                              ; preds = %260
  store i32 0, ptr %253, align 8
  %267 = tail call i32 @llvm.smin.i32(i32 %264, i32 32)
  %268 = shl i32 %267, 1
  store i32 %268, ptr %263, align 4
  tail call fastcc void @send_away(ptr noundef nonnull %0)
  br label %269
269:                                              ; preds = %254, %260, %266
  tail call fastcc void @wait_for_workers(ptr noundef %0)
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #6
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #6
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #6
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #6
declare void @free(ptr noundef) local_unnamed_addr #9
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
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
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 144
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
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 192
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
  call void @llvm.x86.sse2.pause()
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %75
41:                                               ; preds = %37
  %42 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
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
  %53 = call i32 @sched_yield() #10
  %54 = sub nsw i64 %46, %48
  %55 = icmp sgt i64 %54, 999999
  br i1 %55, label %56, label %75
56:                                               ; preds = %52
  %57 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
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
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #10
  %70 = load i32, ptr %12, align 4
  %71 = icmp eq i32 %70, %59
  br i1 %71, label %60, label %72
72:                                               ; preds = %60, %65, %68
  %73 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
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
  call void %88(ptr noundef %90, i64 noundef %136, i64 noundef %144) #10
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
  call void %88(ptr noundef %90, i64 noundef %190, i64 noundef %198) #10
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
  %208 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
  %209 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #10
  %210 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
  br label %211
211:                                              ; preds = %85, %204, %207, %97, %82
  %212 = phi i64 [ %27, %82 ], [ %27, %97 ], [ %86, %207 ], [ %86, %204 ], [ %27, %85 ]
  %213 = load atomic i32, ptr %5 seq_cst, align 16
  %214 = icmp eq i32 %213, 0
  br i1 %214, label %26, label %215
215:                                              ; preds = %211, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #6
declare i32 @sched_yield() local_unnamed_addr #6
declare void @llvm.x86.sse2.pause() #10
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #7
define internal fastcc void @send_away(ptr noundef nonnull readonly %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.cpu_set_t, align 8
  %4 = tail call i32 @sched_getcpu() #10
  %5 = icmp ugt i32 %4, 1023
  br i1 %5, label %49, label %6
6:                                                ; preds = %1
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load i32, ptr %7, align 32
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %49
10:                                               ; preds = %6
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %12 = zext nneg i32 %4 to i64
  %13 = and i64 %12, 63
  %14 = lshr i64 %12, 6
  %15 = getelementptr inbounds nuw i64, ptr %2, i64 %14
  %16 = shl nuw i64 1, %13
  %17 = xor i64 %16, -1
  %18 = getelementptr inbounds nuw i64, ptr %3, i64 %14
  br label %19
19:                                               ; preds = %10, %44
  %20 = phi i64 [ 0, %10 ], [ %45, %44 ]
  %21 = load ptr, ptr %11, align 16
  %22 = getelementptr inbounds nuw i64, ptr %21, i64 %20
  %23 = load i64, ptr %22, align 8
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #10
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #10
  %32 = icmp sgt i32 %31, 1
  br i1 %32, label %33, label %44
33:                                               ; preds = %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, ptr noundef nonnull align 8 dereferenceable(128) %2, i64 128, i1 false)
  %34 = load i64, ptr %18, align 8
  %35 = and i64 %34, %17
  store i64 %35, ptr %18, align 8
  %36 = load ptr, ptr %11, align 16
  %37 = getelementptr inbounds nuw i64, ptr %36, i64 %20
  %38 = load i64, ptr %37, align 8
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #10
  %40 = load ptr, ptr %11, align 16
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #10
  br label %44
44:                                               ; preds = %33, %30, %26, %19
  %45 = add nuw nsw i64 %20, 1
  %46 = load i32, ptr %7, align 32
  %47 = sext i32 %46 to i64
  %48 = icmp slt i64 %45, %47
  br i1 %48, label %19, label %49
49:                                               ; preds = %44, %6, %1
  ret void
}
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #11 {
  ret void
}
define internal fastcc void @wait_for_workers(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %7
7:                                                ; preds = %45, %1
  %8 = phi i32 [ 0, %1 ], [ %31, %45 ]
  %9 = phi i64 [ 0, %1 ], [ %41, %45 ]
  br label %10
10:                                               ; preds = %7, %30
  %11 = phi i32 [ %31, %30 ], [ %8, %7 ]
  %12 = load i32, ptr %3, align 32
  %13 = icmp slt i32 %12, 1
  br i1 %13, label %26, label %14
14:                                               ; preds = %10, %14
  %15 = phi i64 [ %22, %14 ], [ 1, %10 ]
  %16 = phi i64 [ %21, %14 ], [ 0, %10 ]
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr inbounds nuw %struct.share, ptr %17, i64 %15
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 64
  %20 = load atomic i64, ptr %19 seq_cst, align 64
  %21 = add nsw i64 %20, %16
  %22 = add nuw nsw i64 %15, 1
  %23 = load i32, ptr %3, align 32
  %24 = sext i32 %23 to i64
  %25 = icmp slt i64 %15, %24
  br i1 %25, label %14, label %26
26:                                               ; preds = %14, %10
  %27 = phi i64 [ 0, %10 ], [ %21, %14 ]
  %28 = load i64, ptr %4, align 16
  %29 = icmp eq i64 %27, %28
  br i1 %29, label %78, label %30
30:                                               ; preds = %26
  call void @llvm.x86.sse2.pause()
  %31 = add i32 %11, 1
  %32 = and i32 %31, 63
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %10
34:                                               ; preds = %30
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
  %36 = load i64, ptr %2, align 8
  %37 = mul nsw i64 %36, 1000000000
  %38 = load i64, ptr %6, align 8
  %39 = add nsw i64 %37, %38
  %40 = icmp ne i32 %31, 64
  %41 = select i1 %40, i64 %9, i64 %39
  %42 = sub i64 %39, %9
  %43 = icmp sgt i64 %42, 50000
  %44 = select i1 %40, i1 %43, i1 false
  br i1 %44, label %46, label %45
45:                                               ; preds = %34, %46
  br label %7
46:                                               ; preds = %34
  %47 = call i32 @sched_yield() #10
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #10
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 192
  br label %55
55:                                               ; preds = %74, %50
  %56 = load i32, ptr %3, align 32
  %57 = icmp slt i32 %56, 1
  br i1 %57, label %70, label %58
58:                                               ; preds = %55, %58
  %59 = phi i64 [ %66, %58 ], [ 1, %55 ]
  %60 = phi i64 [ %65, %58 ], [ 0, %55 ]
  %61 = load ptr, ptr %5, align 8
  %62 = getelementptr inbounds nuw %struct.share, ptr %61, i64 %59
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 64
  %64 = load atomic i64, ptr %63 seq_cst, align 64
  %65 = add nsw i64 %64, %60
  %66 = add nuw nsw i64 %59, 1
  %67 = load i32, ptr %3, align 32
  %68 = sext i32 %67 to i64
  %69 = icmp slt i64 %59, %68
  br i1 %69, label %58, label %70
70:                                               ; preds = %58, %55
  %71 = phi i64 [ 0, %55 ], [ %65, %58 ]
  %72 = load i64, ptr %4, align 16
  %73 = icmp eq i64 %71, %72
  br i1 %73, label %76, label %74
74:                                               ; preds = %70
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #10
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #10
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #6
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @llvm.smin.i32(i32, i32) #12
declare i64 @llvm.smin.i64(i64, i64) #12
declare i32 @llvm.umin.i32(i32, i32) #12
declare void @llvm.assume(i1 noundef) #13
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
attributes #11 = { nounwind }
attributes #12 = { nounwind }
attributes #13 = { nounwind }
attributes #14 = { nounwind }
