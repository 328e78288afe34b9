; 235c234e67918c974a13692875d33f2484a73f917115c5b33d335414cdfeee1e
; Made from pool.c and pool.h, which have that digest, by tools/make_pool_ir.py.

%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.share = type { i64, i64, i32, i32, ptr, [32 x i8] }
%struct.timespec = type { i64, i64 }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %50, label %4
4:                                                ; preds = %1
  store ptr null, ptr %2, align 8
  %5 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 320) #8
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %48
7:                                                ; preds = %4
  %8 = call i32 @llvm.umin.i32(i32 %0, i32 1024)
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #8
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #8
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %7
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #8
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #8
  br label %18
18:                                               ; preds = %7, %13, %16
  %19 = phi ptr [ null, %16 ], [ null, %7 ], [ %11, %13 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(92) %9, i8 0, i64 92, i1 false)
  %20 = getelementptr inbounds nuw i8, ptr %9, i64 92
  store i32 %8, ptr %20, align 4
  %21 = getelementptr inbounds nuw i8, ptr %9, i64 96
  store i64 0, ptr %21, align 32
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 104
  store ptr %19, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 112
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(208) %23, i8 0, i64 208, i1 false)
  %24 = zext nneg i32 %8 to i64
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #10
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 256
  store ptr %25, ptr %27, align 64
  %28 = icmp eq ptr %25, null
  br i1 %28, label %35, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 112
  %31 = shl nuw nsw i64 %24, 6
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #8
  %33 = icmp eq i32 %32, 0
  %34 = load ptr, ptr %2, align 8
  br i1 %33, label %48, label %35
35:                                               ; preds = %29, %18
  %36 = phi ptr [ %34, %29 ], [ %26, %18 ]
  %37 = getelementptr inbounds nuw i8, ptr %36, i64 112
  store ptr null, ptr %37, align 16
  %38 = getelementptr inbounds nuw i8, ptr %36, i64 104
  %39 = load ptr, ptr %38, align 8
  %40 = icmp eq ptr %39, null
  br i1 %40, label %44, label %41
41:                                               ; preds = %35
  %42 = call i64 @sysconf(i32 noundef 30) #8
  %43 = call i32 @munmap(ptr noundef nonnull %39, i64 noundef %42) #8
  br label %44
44:                                               ; preds = %35, %41
  %45 = getelementptr inbounds nuw i8, ptr %36, i64 256
  %46 = load ptr, ptr %45, align 64
  call void @free(ptr noundef %46) #8
  %47 = load ptr, ptr %37, align 16
  call void @free(ptr noundef %47) #8
  call void @free(ptr noundef nonnull %36) #8
  br label %48
48:                                               ; preds = %29, %4, %44
  %49 = phi ptr [ null, %4 ], [ null, %44 ], [ %34, %29 ]
  br label %50
50:                                               ; preds = %1, %48
  %51 = phi ptr [ %49, %48 ], [ null, %1 ]
  ret ptr %51
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #4
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %47, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 68
  %5 = load atomic i32, ptr %4 seq_cst, align 4
  %6 = tail call i32 @getpid() #8
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 1, ptr %9 seq_cst, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #8
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 256
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 208
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #8
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #8
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #8
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 64
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #8
  %31 = add nuw nsw i64 %26, 1
  %32 = load i32, ptr %15, align 32
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %37 = load ptr, ptr %36, align 8
  %38 = icmp eq ptr %37, null
  br i1 %38, label %42, label %39
39:                                               ; preds = %35
  %40 = tail call i64 @sysconf(i32 noundef 30) #8
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #8
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %44 = load ptr, ptr %43, align 64
  tail call void @free(ptr noundef %44) #8
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %46 = load ptr, ptr %45, align 16
  tail call void @free(ptr noundef %46) #8
  tail call void @free(ptr noundef nonnull %0) #8
  br label %47
47:                                               ; preds = %1, %42
  ret void
}
declare i32 @getpid() local_unnamed_addr #5
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #5
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %union.pthread_attr_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca %struct.__sigset_t, align 8
  %9 = icmp slt i64 %3, 1
  br i1 %9, label %128, label %10
10:                                               ; preds = %5
  %11 = tail call i64 @llvm.smax.i64(i64 %4, i64 1)
  %12 = udiv i64 %3, %11
  %13 = icmp eq ptr %0, null
  %14 = icmp samesign ult i64 %12, 2
  %15 = or i1 %13, %14
  br i1 %15, label %20, label %16
16:                                               ; preds = %10
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %18 = load i32, ptr %17, align 4
  %19 = icmp eq i32 %18, 1
  br i1 %19, label %20, label %21
20:                                               ; preds = %16, %10
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %128
21:                                               ; preds = %16
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %28, label %25
25:                                               ; preds = %21
  %26 = load atomic i32, ptr %23 acquire, align 4
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %28, label %87
28:                                               ; preds = %25, %21
  %29 = tail call i32 @getpid() #8
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 68
  %31 = load atomic i32, ptr %30 seq_cst, align 4
  %32 = icmp eq i32 %31, %29
  br i1 %32, label %87, label %33
33:                                               ; preds = %28
  %34 = icmp eq i32 %31, -1
  br i1 %34, label %91, label %35
35:                                               ; preds = %33
  %36 = cmpxchg ptr %30, i32 %31, i32 -1 seq_cst seq_cst, align 4
  %37 = extractvalue { i32, i1 } %36, 1
  br i1 %37, label %38, label %91
38:                                               ; preds = %35
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %40 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %39, ptr noundef null) #8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %42 = tail call i32 @pthread_cond_init(ptr noundef nonnull %41, ptr noundef null) #8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 208
  %44 = tail call i32 @pthread_cond_init(ptr noundef nonnull %43, ptr noundef null) #8
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 0, ptr %45 seq_cst, align 4
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 0, ptr %46 seq_cst, align 4
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 72
  store atomic i32 0, ptr %47 seq_cst, align 8
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i32 0, ptr %48 seq_cst, align 64
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store i32 0, ptr %49, align 32
  %50 = call i32 @pthread_attr_init(ptr noundef nonnull %6) #8
  %51 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %6, i64 noundef 4194304) #8
  %52 = call i32 @sigfillset(ptr noundef nonnull %7) #8
  %53 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef nonnull %8) #8
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %55 = load i32, ptr %17, align 4
  %56 = icmp sgt i32 %55, 1
  br i1 %56, label %57, label %80
57:                                               ; preds = %38
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 256
  br label %59
59:                                               ; preds = %73, %57
  %60 = phi i64 [ 1, %57 ], [ %76, %73 ]
  %61 = load ptr, ptr %54, align 16
  %62 = getelementptr inbounds nuw %struct.share, ptr %61, i64 %60
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 24
  store ptr %0, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %62, i64 20
  %65 = trunc nuw nsw i64 %60 to i32
  store i32 %65, ptr %64, align 4
  %66 = getelementptr inbounds nuw i8, ptr %62, i64 16
  store atomic i32 0, ptr %66 seq_cst, align 16
  %67 = load ptr, ptr %58, align 64
  %68 = load i32, ptr %49, align 32
  %69 = sext i32 %68 to i64
  %70 = getelementptr inbounds i64, ptr %67, i64 %69
  %71 = call i32 @pthread_create(ptr noundef %70, ptr noundef nonnull %6, ptr noundef nonnull @work, ptr noundef nonnull %62) #8
  %72 = icmp eq i32 %71, 0
  br i1 %72, label %73, label %80
73:                                               ; preds = %59
  %74 = load i32, ptr %49, align 32
  %75 = add nsw i32 %74, 1
  store i32 %75, ptr %49, align 32
  %76 = add nuw nsw i64 %60, 1
  %77 = load i32, ptr %17, align 4
  %78 = sext i32 %77 to i64
  %79 = icmp slt i64 %76, %78
  br i1 %79, label %59, label %80
80:                                               ; preds = %73, %59, %38
  %81 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %8, ptr noundef null) #8
  %82 = call i32 @pthread_attr_destroy(ptr noundef nonnull %6) #8
  store atomic i32 %29, ptr %30 seq_cst, align 4
  %83 = load ptr, ptr %22, align 8
  %84 = icmp eq ptr %83, null
  br i1 %84, label %86, label %85
85:                                               ; preds = %80
  store atomic i32 1, ptr %83 release, align 4
  br label %86
86:                                               ; preds = %85, %80
  br label %87
87:                                               ; preds = %25, %86, %28
  %88 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %89 = atomicrmw xchg ptr %88, i32 1 seq_cst, align 64
  %90 = icmp eq i32 %89, 0
  br i1 %90, label %92, label %91
91:                                               ; preds = %35, %33, %87
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %128
92:                                               ; preds = %87
  %93 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %94 = load i32, ptr %93, align 32
  %95 = add nsw i32 %94, 1
  %96 = sext i32 %95 to i64
  %97 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %12, i64 %96)
  %98 = trunc nsw i64 %97 to i32
  %99 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %100 = load atomic i32, ptr %99 seq_cst, align 4
  %101 = sub nsw i32 %95, %100
  %102 = icmp slt i32 %101, %98
  br i1 %102, label %105, label %103
103:                                              ; preds = %92
  %104 = getelementptr inbounds nuw i8, ptr %0, i64 80
  store i64 0, ptr %104, align 16
  br label %119
105:                                              ; preds = %92
  %106 = sext i32 %101 to i64
  %107 = sdiv i64 %12, %106
  %108 = sdiv i64 %12, %97
  %109 = sub nsw i64 %107, %108
  %110 = icmp slt i64 %109, 16
  %111 = getelementptr inbounds nuw i8, ptr %0, i64 80
  br i1 %110, label %113, label %112
112:                                              ; preds = %105
  store i64 16, ptr %111, align 16
  br label %119
113:                                              ; preds = %105
  %114 = load i64, ptr %111, align 16
  %115 = add nsw i64 %114, %109
  %116 = freeze i64 %115
  store i64 %116, ptr %111, align 16
  %117 = icmp slt i64 %116, 16
  %118 = select i1 %117, i32 %101, i32 %98
  br label %119
119:                                              ; preds = %103, %112, %113
  %120 = phi i32 [ %98, %103 ], [ %98, %112 ], [ %118, %113 ]
  %121 = icmp eq i32 %120, 1
  br i1 %121, label %122, label %123
122:                                              ; preds = %119
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %127
123:                                              ; preds = %119
  store ptr %1, ptr %0, align 64
  %124 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %2, ptr %124, align 8
  %125 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %3, ptr %125, align 16
  call fastcc void @publish(ptr noundef %0, i32 noundef %120, i64 noundef %12)
  call fastcc void @take_ranges(ptr noundef nonnull %0, i32 noundef 0)
  %126 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 0, ptr %126 seq_cst, align 4
  call fastcc void @wait_for_workers(ptr noundef %0)
  br label %127
127:                                              ; preds = %123, %122
  store atomic i32 0, ptr %88 seq_cst, align 64
  br label %128
128:                                              ; preds = %20, %91, %127, %5
  ret void
}
define internal fastcc void @publish(ptr noundef nonnull %0, i32 noundef range(i32 2, 1) %1, i64 noundef range(i64 2, -9223372036854775808) %2) unnamed_addr #0 {
  %4 = sext i32 %1 to i64
  %5 = shl nsw i64 %4, 3
  %6 = icmp slt i64 %2, %5
  br i1 %6, label %7, label %10
7:                                                ; preds = %3
  %8 = srem i64 %2, %4
  %9 = sub nsw i64 %2, %8
  br label %10
10:                                               ; preds = %3, %7
  %11 = phi i64 [ %9, %7 ], [ %5, %3 ]
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %11, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 %1, ptr %13, align 32
  %14 = icmp sgt i32 %1, 0
  br i1 %14, label %15, label %18
15:                                               ; preds = %10
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %17 = zext nneg i32 %1 to i64
  br label %28
18:                                               ; preds = %28, %10
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 76
  %20 = load i32, ptr %19, align 4
  %21 = icmp eq i32 %20, -1
  %22 = add nuw i32 %20, 1
  %23 = select i1 %21, i32 1, i32 %22
  store i32 %23, ptr %19, align 4
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %23, ptr %24 seq_cst, align 4
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %26 = load i64, ptr %25, align 16
  %27 = icmp sgt i64 %26, 15
  br i1 %27, label %43, label %56
28:                                               ; preds = %15, %28
  %29 = phi i64 [ 0, %15 ], [ %37, %28 ]
  %30 = load ptr, ptr %16, align 16
  %31 = getelementptr inbounds nuw %struct.share, ptr %30, i64 %29
  %32 = load i64, ptr %12, align 8
  %33 = sdiv i64 %32, %4
  %34 = mul nsw i64 %33, %29
  store atomic i64 %34, ptr %31 monotonic, align 64
  %35 = load i64, ptr %12, align 8
  %36 = sdiv i64 %35, %4
  %37 = add nuw nsw i64 %29, 1
  %38 = mul nsw i64 %36, %37
  %39 = load ptr, ptr %16, align 16
  %40 = getelementptr inbounds nuw %struct.share, ptr %39, i64 %29
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 8
  store i64 %38, ptr %41, align 8
  %42 = icmp eq i64 %37, %17
  br i1 %42, label %18, label %28
43:                                               ; preds = %18
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %45 = load atomic i32, ptr %44 seq_cst, align 4
  %46 = icmp sgt i32 %45, 0
  br i1 %46, label %47, label %56
47:                                               ; preds = %43
  store i64 0, ptr %25, align 16
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %49 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %48) #8
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %51 = load i32, ptr %50, align 8
  %52 = add i32 %51, 1
  store i32 %52, ptr %50, align 8
  %53 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %48) #8
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %55 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %54) #8
  br label %56
56:                                               ; preds = %47, %43, %18
  ret void
}
define internal fastcc void @take_ranges(ptr noundef readonly %0, i32 noundef %1) unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = load i32, ptr %3, align 32
  %5 = icmp sgt i32 %4, 0
  br i1 %5, label %6, label %11
6:                                                ; preds = %2
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %12
11:                                               ; preds = %54, %2
  ret void
12:                                               ; preds = %6, %54
  %13 = phi i32 [ %4, %6 ], [ %55, %54 ]
  %14 = phi i32 [ 0, %6 ], [ %56, %54 ]
  %15 = load ptr, ptr %7, align 16
  %16 = add nsw i32 %14, %1
  %17 = srem i32 %16, %13
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds %struct.share, ptr %15, i64 %18
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 8
  %21 = load atomic i64, ptr %19 monotonic, align 64
  %22 = load i64, ptr %20, align 8
  %23 = icmp slt i64 %21, %22
  br i1 %23, label %24, label %54
24:                                               ; preds = %12, %48
  %25 = phi i64 [ %49, %48 ], [ %22, %12 ]
  %26 = atomicrmw add ptr %19, i64 1 monotonic, align 64
  %27 = icmp slt i64 %26, %25
  br i1 %27, label %28, label %48
28:                                               ; preds = %24
  %29 = load ptr, ptr %0, align 64
  %30 = load ptr, ptr %8, align 8
  %31 = load i64, ptr %9, align 16
  %32 = load i64, ptr %10, align 8
  %33 = sdiv i64 %31, %32
  %34 = srem i64 %31, %32
  %35 = sub nsw i64 %32, %34
  %36 = mul nsw i64 %33, %26
  %37 = icmp sgt i64 %26, %35
  %38 = sub nsw i64 %26, %35
  %39 = select i1 %37, i64 %38, i64 0
  %40 = add nsw i64 %39, %36
  %41 = add nsw i64 %26, 1
  %42 = mul nsw i64 %33, %41
  %43 = icmp slt i64 %26, %35
  %44 = sub nsw i64 %41, %35
  %45 = select i1 %43, i64 0, i64 %44
  %46 = add nsw i64 %45, %42
  tail call void %29(ptr noundef %30, i64 noundef %40, i64 noundef %46) #8
  %47 = load i64, ptr %20, align 8
  br label %48
48:                                               ; preds = %28, %24
  %49 = phi i64 [ %47, %28 ], [ %25, %24 ]
  %50 = load atomic i64, ptr %19 monotonic, align 64
  %51 = icmp slt i64 %50, %49
  br i1 %51, label %24, label %52
52:                                               ; preds = %48
  %53 = load i32, ptr %3, align 32
  br label %54
54:                                               ; preds = %52, %12
  %55 = phi i32 [ %53, %52 ], [ %13, %12 ]
  %56 = add nuw nsw i32 %14, 1
  %57 = icmp slt i32 %56, %55
  br i1 %57, label %12, label %11
}
define internal fastcc void @wait_for_workers(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %6
6:                                                ; preds = %45, %1
  %7 = phi i32 [ 0, %1 ], [ %26, %45 ]
  %8 = phi i64 [ 0, %1 ], [ %36, %45 ]
  br label %9
9:                                                ; preds = %25, %6
  %10 = phi i32 [ %7, %6 ], [ %26, %25 ]
  %11 = load i32, ptr %4, align 32
  %12 = icmp slt i32 %11, 1
  br i1 %12, label %74, label %18
13:                                               ; preds = %18
  %14 = add nuw nsw i64 %19, 1
  %15 = load i32, ptr %4, align 32
  %16 = sext i32 %15 to i64
  %17 = icmp slt i64 %19, %16
  br i1 %17, label %18, label %74
18:                                               ; preds = %9, %13
  %19 = phi i64 [ %14, %13 ], [ 1, %9 ]
  %20 = load ptr, ptr %3, align 16
  %21 = getelementptr inbounds nuw %struct.share, ptr %20, i64 %19
  %22 = getelementptr inbounds nuw i8, ptr %21, i64 16
  %23 = load atomic i32, ptr %22 seq_cst, align 16
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %13, label %25
25:                                               ; preds = %18
  call void @llvm.x86.sse2.pause()
  %26 = add i32 %10, 1
  %27 = and i32 %26, 63
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %9
29:                                               ; preds = %25
  %30 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #8
  %31 = load i64, ptr %2, align 8
  %32 = mul nsw i64 %31, 1000000000
  %33 = load i64, ptr %5, align 8
  %34 = add nsw i64 %32, %33
  %35 = icmp ne i32 %26, 64
  %36 = select i1 %35, i64 %8, i64 %34
  %37 = sub i64 %34, %8
  %38 = icmp sgt i64 %37, 50000
  %39 = select i1 %35, i1 %38, i1 false
  br i1 %39, label %40, label %44
40:                                               ; preds = %29
  %41 = call i32 @sched_yield() #8
  %42 = sub nsw i64 %34, %36
  %43 = icmp sgt i64 %42, 999999
  br i1 %43, label %46, label %45
44:                                               ; preds = %29
  br label %45
45:                                               ; preds = %44, %40
  br label %6
46:                                               ; preds = %40
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %48 = call i32 @pthread_mutex_lock(ptr noundef nonnull %47) #8
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 72
  store atomic i32 1, ptr %49 seq_cst, align 8
  %50 = load i32, ptr %4, align 32
  %51 = icmp slt i32 %50, 1
  br i1 %51, label %72, label %52
52:                                               ; preds = %46
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 208
  br label %61
54:                                               ; preds = %61
  %55 = add nuw nsw i64 %62, 1
  %56 = load i32, ptr %4, align 32
  %57 = sext i32 %56 to i64
  %58 = icmp slt i64 %62, %57
  br i1 %58, label %59, label %72
59:                                               ; preds = %54, %68
  %60 = phi i64 [ %55, %54 ], [ 1, %68 ]
  br label %61
61:                                               ; preds = %59, %52
  %62 = phi i64 [ 1, %52 ], [ %60, %59 ]
  %63 = load ptr, ptr %3, align 16
  %64 = getelementptr inbounds nuw %struct.share, ptr %63, i64 %62
  %65 = getelementptr inbounds nuw i8, ptr %64, i64 16
  %66 = load atomic i32, ptr %65 seq_cst, align 16
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %54, label %68
68:                                               ; preds = %61
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %53, ptr noundef nonnull %47) #8
  %70 = load i32, ptr %4, align 32
  %71 = icmp slt i32 %70, 1
  br i1 %71, label %72, label %59
72:                                               ; preds = %68, %54, %46
  store atomic i32 0, ptr %49 seq_cst, align 8
  %73 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %47) #8
  br label %74
74:                                               ; preds = %9, %13, %72
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #5
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #5
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #5
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #5
declare void @free(ptr noundef) local_unnamed_addr #7
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #5
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #5
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #5
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #5
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #5
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #5
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %6 = load atomic i32, ptr %5 seq_cst, align 8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %148
8:                                                ; preds = %1
  %9 = getelementptr inbounds nuw i8, ptr %4, i64 36
  %10 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 120
  %12 = getelementptr inbounds nuw i8, ptr %4, i64 44
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 88
  %14 = getelementptr inbounds nuw i8, ptr %4, i64 160
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 20
  %17 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %18 = getelementptr inbounds nuw i8, ptr %4, i64 112
  %19 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %21 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %22 = getelementptr inbounds nuw i8, ptr %4, i64 72
  %23 = getelementptr inbounds nuw i8, ptr %4, i64 208
  br label %24
24:                                               ; preds = %8, %145
  %25 = phi i32 [ 0, %8 ], [ %138, %145 ]
  %26 = load atomic i32, ptr %9 seq_cst, align 4
  %27 = icmp eq i32 %26, 0
  %28 = icmp eq i32 %26, %25
  %29 = or i1 %27, %28
  br i1 %29, label %30, label %81
30:                                               ; preds = %24, %74
  %31 = phi i64 [ %76, %74 ], [ 0, %24 ]
  %32 = phi i32 [ %75, %74 ], [ 0, %24 ]
  %33 = load atomic i32, ptr %5 seq_cst, align 8
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %35, label %81
35:                                               ; preds = %30
  call void @llvm.x86.sse2.pause()
  %36 = add i32 %32, 1
  %37 = and i32 %36, 63
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %39, label %74
39:                                               ; preds = %35
  %40 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #8
  %41 = load i64, ptr %2, align 8
  %42 = mul nsw i64 %41, 1000000000
  %43 = load i64, ptr %10, align 8
  %44 = add nsw i64 %42, %43
  %45 = icmp ne i32 %36, 64
  %46 = select i1 %45, i64 %31, i64 %44
  %47 = sub i64 %44, %31
  %48 = icmp sgt i64 %47, 50000
  %49 = select i1 %45, i1 %48, i1 false
  br i1 %49, label %51, label %50
50:                                               ; preds = %39
  br label %74
51:                                               ; preds = %39
  %52 = call i32 @sched_yield() #8
  %53 = sub nsw i64 %44, %46
  %54 = icmp sgt i64 %53, 999999
  br i1 %54, label %55, label %74
55:                                               ; preds = %51
  %56 = call i32 @pthread_mutex_lock(ptr noundef nonnull %11) #8
  %57 = atomicrmw add ptr %12, i32 1 seq_cst, align 4
  %58 = load i32, ptr %13, align 8
  br label %59
59:                                               ; preds = %67, %55
  %60 = load atomic i32, ptr %9 seq_cst, align 4
  %61 = icmp eq i32 %60, 0
  %62 = icmp eq i32 %60, %25
  %63 = or i1 %61, %62
  br i1 %63, label %64, label %71
64:                                               ; preds = %59
  %65 = load atomic i32, ptr %5 seq_cst, align 8
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %67, label %71
67:                                               ; preds = %64
  %68 = call i32 @pthread_cond_wait(ptr noundef nonnull %14, ptr noundef nonnull %11) #8
  %69 = load i32, ptr %13, align 8
  %70 = icmp eq i32 %69, %58
  br i1 %70, label %59, label %71
71:                                               ; preds = %59, %64, %67
  %72 = atomicrmw sub ptr %12, i32 1 seq_cst, align 4
  %73 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %11) #8
  br label %74
74:                                               ; preds = %35, %50, %71, %51
  %75 = phi i32 [ 0, %71 ], [ %36, %51 ], [ %36, %50 ], [ %36, %35 ]
  %76 = phi i64 [ 0, %71 ], [ %46, %51 ], [ %46, %50 ], [ %31, %35 ]
  %77 = load atomic i32, ptr %9 seq_cst, align 4
  %78 = icmp eq i32 %77, 0
  %79 = icmp eq i32 %77, %25
  %80 = or i1 %78, %79
  br i1 %80, label %30, label %81
81:                                               ; preds = %30, %74, %24
  store atomic i32 1, ptr %15 seq_cst, align 16
  %82 = load atomic i32, ptr %9 seq_cst, align 4
  %83 = icmp eq i32 %82, 0
  br i1 %83, label %137, label %84
84:                                               ; preds = %81
  %85 = load atomic i32, ptr %5 seq_cst, align 8
  %86 = icmp eq i32 %85, 0
  br i1 %86, label %87, label %137
87:                                               ; preds = %84
  %88 = load i32, ptr %16, align 4
  %89 = load i32, ptr %17, align 32
  %90 = icmp sgt i32 %89, 0
  br i1 %90, label %91, label %137
91:                                               ; preds = %87, %133
  %92 = phi i32 [ %134, %133 ], [ %89, %87 ]
  %93 = phi i32 [ %135, %133 ], [ 0, %87 ]
  %94 = load ptr, ptr %18, align 16
  %95 = add nsw i32 %93, %88
  %96 = srem i32 %95, %92
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds %struct.share, ptr %94, i64 %97
  %99 = getelementptr inbounds nuw i8, ptr %98, i64 8
  %100 = load atomic i64, ptr %98 monotonic, align 64
  %101 = load i64, ptr %99, align 8
  %102 = icmp slt i64 %100, %101
  br i1 %102, label %103, label %133
103:                                              ; preds = %91, %127
  %104 = phi i64 [ %128, %127 ], [ %101, %91 ]
  %105 = atomicrmw add ptr %98, i64 1 monotonic, align 64
  %106 = icmp slt i64 %105, %104
  br i1 %106, label %107, label %127
107:                                              ; preds = %103
  %108 = load ptr, ptr %4, align 64
  %109 = load ptr, ptr %19, align 8
  %110 = load i64, ptr %20, align 16
  %111 = load i64, ptr %21, align 8
  %112 = sdiv i64 %110, %111
  %113 = srem i64 %110, %111
  %114 = sub nsw i64 %111, %113
  %115 = mul nsw i64 %112, %105
  %116 = icmp sgt i64 %105, %114
  %117 = sub nsw i64 %105, %114
  %118 = select i1 %116, i64 %117, i64 0
  %119 = add nsw i64 %118, %115
  %120 = add nsw i64 %105, 1
  %121 = mul nsw i64 %112, %120
  %122 = icmp slt i64 %105, %114
  %123 = sub nsw i64 %120, %114
  %124 = select i1 %122, i64 0, i64 %123
  %125 = add nsw i64 %124, %121
  call void %108(ptr noundef %109, i64 noundef %119, i64 noundef %125) #8
  %126 = load i64, ptr %99, align 8
  br label %127
127:                                              ; preds = %107, %103
  %128 = phi i64 [ %126, %107 ], [ %104, %103 ]
  %129 = load atomic i64, ptr %98 monotonic, align 64
  %130 = icmp slt i64 %129, %128
  br i1 %130, label %103, label %131
131:                                              ; preds = %127
  %132 = load i32, ptr %17, align 32
  br label %133
133:                                              ; preds = %131, %91
  %134 = phi i32 [ %132, %131 ], [ %92, %91 ]
  %135 = add nuw nsw i32 %93, 1
  %136 = icmp slt i32 %135, %134
  br i1 %136, label %91, label %137
137:                                              ; preds = %133, %87, %84, %81
  %138 = phi i32 [ %25, %84 ], [ %25, %81 ], [ %82, %87 ], [ %82, %133 ]
  store atomic i32 0, ptr %15 seq_cst, align 16
  %139 = load atomic i32, ptr %22 seq_cst, align 8
  %140 = icmp eq i32 %139, 0
  br i1 %140, label %145, label %141
141:                                              ; preds = %137
  %142 = call i32 @pthread_mutex_lock(ptr noundef nonnull %11) #8
  %143 = call i32 @pthread_cond_signal(ptr noundef nonnull %23) #8
  %144 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %11) #8
  br label %145
145:                                              ; preds = %137, %141
  %146 = load atomic i32, ptr %5 seq_cst, align 8
  %147 = icmp eq i32 %146, 0
  br i1 %147, label %24, label %148
148:                                              ; preds = %145, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #5
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #5
declare i32 @sched_yield() local_unnamed_addr #5
declare void @llvm.x86.sse2.pause() #8
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #5
declare i64 @llvm.smax.i64(i64, i64) #9
declare i32 @llvm.umin.i32(i32, i32) #9
declare i64 @llvm.smin.i64(i64, i64) #9
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
