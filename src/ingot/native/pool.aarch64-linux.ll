; b3d5ecfb8fe0f834f2fc6d323e2113bc89740d008f7ad1200c42d0cf71f5e969
; Made from pool.c and pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, [56 x i8], i64, i32, ptr, [40 x i8] }
%union.pthread_attr_t = type { i64, [56 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.loop = type { i64, ptr, ptr, i64, i32, i32, i32, i32 }
%struct.timespec = type { i64, i64 }
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
  %6 = alloca %union.pthread_attr_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca %struct.__sigset_t, align 8
  %9 = alloca %struct.loop, align 8
  %10 = icmp slt i64 %3, 1
  br i1 %10, label %126, label %11
11:                                               ; preds = %5
  %12 = tail call i64 @llvm.smax.i64(i64 %4, i64 1)
  %13 = udiv i64 %3, %12
  %14 = icmp eq ptr %0, null
  %15 = icmp samesign ult i64 %13, 2
  %16 = or i1 %14, %15
  br i1 %16, label %21, label %17
17:                                               ; preds = %11
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 1
  br i1 %20, label %21, label %22
21:                                               ; preds = %17, %11
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %126
22:                                               ; preds = %17
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %24 = load ptr, ptr %23, align 16
  %25 = icmp eq ptr %24, null
  br i1 %25, label %29, label %26
26:                                               ; preds = %22
  %27 = load atomic i32, ptr %24 acquire, align 4
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %88
29:                                               ; preds = %26, %22
  %30 = tail call i32 @getpid() #8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %32 = load atomic i32, ptr %31 seq_cst, align 8
  %33 = icmp eq i32 %32, %30
  br i1 %33, label %88, label %34
34:                                               ; preds = %29
  %35 = icmp eq i32 %32, -1
  br i1 %35, label %92, label %36
36:                                               ; preds = %34
  %37 = cmpxchg ptr %31, i32 %32, i32 -1 seq_cst seq_cst, align 8
  %38 = extractvalue { i32, i1 } %37, 1
  br i1 %38, label %39, label %92
39:                                               ; preds = %36
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %41 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %40, ptr noundef null) #8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %43 = tail call i32 @pthread_cond_init(ptr noundef nonnull %42, ptr noundef null) #8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %45 = tail call i32 @pthread_cond_init(ptr noundef nonnull %44, ptr noundef null) #8
  store atomic i64 0, ptr %0 seq_cst, align 64
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i32 0, ptr %46 seq_cst, align 64
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 0, ptr %47 seq_cst, align 4
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 256
  store atomic i32 0, ptr %48 seq_cst, align 64
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store i32 0, ptr %49, align 32
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store i64 0, ptr %50, align 16
  %51 = call i32 @pthread_attr_init(ptr noundef nonnull %6) #8
  %52 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %6, i64 noundef 4194304) #8
  %53 = call i32 @sigfillset(ptr noundef nonnull %7) #8
  %54 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %7, ptr noundef nonnull %8) #8
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %56 = load i32, ptr %18, align 4
  %57 = icmp sgt i32 %56, 1
  br i1 %57, label %58, label %81
58:                                               ; preds = %39
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %60
60:                                               ; preds = %74, %58
  %61 = phi i64 [ 1, %58 ], [ %77, %74 ]
  %62 = load ptr, ptr %55, align 8
  %63 = getelementptr inbounds nuw %struct.share, ptr %62, i64 %61
  %64 = getelementptr inbounds nuw i8, ptr %63, i64 80
  store ptr %0, ptr %64, align 16
  %65 = getelementptr inbounds nuw i8, ptr %63, i64 72
  %66 = trunc nuw nsw i64 %61 to i32
  store i32 %66, ptr %65, align 8
  %67 = getelementptr inbounds nuw i8, ptr %63, i64 64
  store atomic i64 0, ptr %67 seq_cst, align 64
  %68 = load ptr, ptr %59, align 8
  %69 = load i32, ptr %49, align 32
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds i64, ptr %68, i64 %70
  %72 = call i32 @pthread_create(ptr noundef %71, ptr noundef nonnull %6, ptr noundef nonnull @work, ptr noundef nonnull %63) #8
  %73 = icmp eq i32 %72, 0
  br i1 %73, label %74, label %81
74:                                               ; preds = %60
  %75 = load i32, ptr %49, align 32
  %76 = add nsw i32 %75, 1
  store i32 %76, ptr %49, align 32
  %77 = add nuw nsw i64 %61, 1
  %78 = load i32, ptr %18, align 4
  %79 = sext i32 %78 to i64
  %80 = icmp slt i64 %77, %79
  br i1 %80, label %60, label %81
81:                                               ; preds = %74, %60, %39
  %82 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %8, ptr noundef null) #8
  %83 = call i32 @pthread_attr_destroy(ptr noundef nonnull %6) #8
  store atomic i32 %30, ptr %31 seq_cst, align 8
  %84 = load ptr, ptr %23, align 16
  %85 = icmp eq ptr %84, null
  br i1 %85, label %87, label %86
86:                                               ; preds = %81
  store atomic i32 1, ptr %84 release, align 4
  br label %87
87:                                               ; preds = %86, %81
  br label %88
88:                                               ; preds = %26, %87, %29
  %89 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %90 = atomicrmw xchg ptr %89, i32 1 seq_cst, align 64
  %91 = icmp eq i32 %90, 0
  br i1 %91, label %93, label %92
92:                                               ; preds = %36, %34, %88
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %126
93:                                               ; preds = %88
  %94 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %95 = load i32, ptr %94, align 32
  %96 = add nsw i32 %95, 1
  %97 = sext i32 %96 to i64
  %98 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %13, i64 %97)
  %99 = trunc nsw i64 %98 to i32
  %100 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %101 = load atomic i32, ptr %100 seq_cst, align 64
  %102 = sub nsw i32 %96, %101
  %103 = icmp slt i32 %102, %99
  br i1 %103, label %106, label %104
104:                                              ; preds = %93
  %105 = getelementptr inbounds nuw i8, ptr %0, i64 280
  store i64 0, ptr %105, align 8
  br label %120
106:                                              ; preds = %93
  %107 = sext i32 %102 to i64
  %108 = sdiv i64 %13, %107
  %109 = sdiv i64 %13, %98
  %110 = sub nsw i64 %108, %109
  %111 = icmp slt i64 %110, 64
  %112 = getelementptr inbounds nuw i8, ptr %0, i64 280
  br i1 %111, label %114, label %113
113:                                              ; preds = %106
  store i64 64, ptr %112, align 8
  br label %120
114:                                              ; preds = %106
  %115 = load i64, ptr %112, align 8
  %116 = add nsw i64 %115, %110
  %117 = freeze i64 %116
  store i64 %117, ptr %112, align 8
  %118 = icmp slt i64 %117, 64
  %119 = select i1 %118, i32 %102, i32 %99
  br label %120
120:                                              ; preds = %104, %113, %114
  %121 = phi i32 [ %99, %104 ], [ %99, %113 ], [ %119, %114 ]
  %122 = icmp eq i32 %121, 1
  br i1 %122, label %123, label %124
123:                                              ; preds = %120
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #8
  br label %125
124:                                              ; preds = %120
  call fastcc void @publish(ptr dead_on_unwind writable sret(%struct.loop) align 8 %9, ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i32 noundef %121, i64 noundef %13)
  call fastcc void @share_out(ptr noundef %0, ptr noundef %9)
  br label %125
125:                                              ; preds = %124, %123
  store atomic i32 0, ptr %89 seq_cst, align 64
  br label %126
126:                                              ; preds = %21, %92, %125, %5
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
252:                                              ; preds = %295, %247
  %253 = phi i32 [ 0, %247 ], [ %276, %295 ]
  %254 = phi i64 [ 0, %247 ], [ %286, %295 ]
  br label %255
255:                                              ; preds = %275, %252
  %256 = phi i32 [ %253, %252 ], [ %276, %275 ]
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
  br i1 %274, label %324, label %275
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
  br i1 %293, label %296, label %295
294:                                              ; preds = %279
  br label %295
295:                                              ; preds = %294, %290
  br label %252
296:                                              ; preds = %290
  %297 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %298 = call i32 @pthread_mutex_lock(ptr noundef nonnull %297) #8
  %299 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %299 seq_cst, align 4
  %300 = getelementptr inbounds nuw i8, ptr %0, i64 200
  br label %301
301:                                              ; preds = %320, %296
  %302 = load i32, ptr %65, align 32
  %303 = icmp slt i32 %302, 1
  br i1 %303, label %316, label %304
304:                                              ; preds = %301, %304
  %305 = phi i64 [ %312, %304 ], [ 1, %301 ]
  %306 = phi i64 [ %311, %304 ], [ 0, %301 ]
  %307 = load ptr, ptr %4, align 8
  %308 = getelementptr inbounds nuw %struct.share, ptr %307, i64 %305
  %309 = getelementptr inbounds nuw i8, ptr %308, i64 64
  %310 = load atomic i64, ptr %309 seq_cst, align 64
  %311 = add nsw i64 %310, %306
  %312 = add nuw nsw i64 %305, 1
  %313 = load i32, ptr %65, align 32
  %314 = sext i32 %313 to i64
  %315 = icmp slt i64 %305, %314
  br i1 %315, label %304, label %316
316:                                              ; preds = %304, %301
  %317 = phi i64 [ 0, %301 ], [ %311, %304 ]
  %318 = load i64, ptr %62, align 16
  %319 = icmp eq i64 %317, %318
  br i1 %319, label %322, label %320
320:                                              ; preds = %316
  %321 = call i32 @pthread_cond_wait(ptr noundef nonnull %300, ptr noundef nonnull %297) #8
  br label %301
322:                                              ; preds = %316
  store atomic i32 0, ptr %299 seq_cst, align 4
  %323 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %297) #8
  br label %324
324:                                              ; preds = %271, %322
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
  br i1 %7, label %8, label %216
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
26:                                               ; preds = %8, %212
  %27 = phi i64 [ 0, %8 ], [ %213, %212 ]
  %28 = load atomic i64, ptr %4 seq_cst, align 64
  %29 = icmp eq i64 %28, 0
  %30 = icmp eq i64 %28, %27
  %31 = or i1 %29, %30
  br i1 %31, label %32, label %83
32:                                               ; preds = %26, %76
  %33 = phi i32 [ %78, %76 ], [ 0, %26 ]
  %34 = phi i64 [ %77, %76 ], [ 0, %26 ]
  %35 = load atomic i32, ptr %5 monotonic, align 16
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %83
37:                                               ; preds = %32
  call void asm sideeffect "yield", ""() #8
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %76
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
  br i1 %51, label %53, label %52
52:                                               ; preds = %41
  br label %76
53:                                               ; preds = %41
  %54 = call i32 @sched_yield() #8
  %55 = sub nsw i64 %46, %48
  %56 = icmp sgt i64 %55, 999999
  br i1 %56, label %57, label %76
57:                                               ; preds = %53
  %58 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %59 = atomicrmw add ptr %11, i32 1 seq_cst, align 64
  %60 = load i32, ptr %12, align 4
  br label %61
61:                                               ; preds = %69, %57
  %62 = load atomic i64, ptr %4 seq_cst, align 64
  %63 = icmp eq i64 %62, 0
  %64 = icmp eq i64 %62, %27
  %65 = or i1 %63, %64
  br i1 %65, label %66, label %73
66:                                               ; preds = %61
  %67 = load atomic i32, ptr %5 monotonic, align 16
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %69, label %73
69:                                               ; preds = %66
  %70 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #8
  %71 = load i32, ptr %12, align 4
  %72 = icmp eq i32 %71, %60
  br i1 %72, label %61, label %73
73:                                               ; preds = %61, %66, %69
  %74 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %75 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  br label %76
76:                                               ; preds = %37, %52, %73, %53
  %77 = phi i64 [ 0, %73 ], [ %48, %53 ], [ %48, %52 ], [ %34, %37 ]
  %78 = phi i32 [ 0, %73 ], [ %38, %53 ], [ %38, %52 ], [ %38, %37 ]
  %79 = load atomic i64, ptr %4 seq_cst, align 64
  %80 = icmp eq i64 %79, 0
  %81 = icmp eq i64 %79, %27
  %82 = or i1 %80, %81
  br i1 %82, label %32, label %83
83:                                               ; preds = %32, %76, %26
  %84 = load atomic i32, ptr %5 seq_cst, align 16
  %85 = icmp eq i32 %84, 0
  br i1 %85, label %86, label %212
86:                                               ; preds = %83
  %87 = load atomic i64, ptr %4 acquire, align 64
  %88 = load atomic i64, ptr %14 acquire, align 8
  %89 = inttoptr i64 %88 to ptr
  %90 = load atomic i64, ptr %15 acquire, align 16
  %91 = inttoptr i64 %90 to ptr
  %92 = load atomic i64, ptr %16 acquire, align 8
  %93 = load atomic i32, ptr %17 acquire, align 32
  %94 = load atomic i32, ptr %18 acquire, align 4
  %95 = load atomic i32, ptr %19 acquire, align 8
  %96 = load atomic i32, ptr %20 acquire, align 4
  %97 = icmp eq i64 %87, 0
  br i1 %97, label %212, label %98
98:                                               ; preds = %86
  %99 = load atomic i64, ptr %4 monotonic, align 64
  %100 = icmp eq i64 %99, %87
  br i1 %100, label %101, label %212
101:                                              ; preds = %98
  %102 = load i32, ptr %21, align 8
  %103 = srem i32 %102, %95
  %104 = sext i32 %103 to i64
  %105 = shl i64 %87, 16
  %106 = or disjoint i64 %105, 1
  %107 = mul nsw i32 %103, %96
  %108 = add i32 %94, -1
  br label %109
109:                                              ; preds = %129, %101
  %110 = load ptr, ptr %23, align 8
  %111 = getelementptr inbounds %struct.share, ptr %110, i64 %104
  %112 = load atomic i64, ptr %111 monotonic, align 64
  br label %113
113:                                              ; preds = %123, %109
  %114 = phi i64 [ %112, %109 ], [ %128, %123 ]
  %115 = lshr i64 %114, 16
  %116 = icmp eq i64 %115, %87
  %117 = trunc i64 %114 to i32
  %118 = and i32 %117, 65535
  %119 = select i1 %116, i32 %118, i32 0
  %120 = icmp ule i64 %115, %87
  %121 = icmp slt i32 %119, %96
  %122 = select i1 %120, i1 %121, i1 false
  br i1 %122, label %123, label %148
123:                                              ; preds = %113
  %124 = zext nneg i32 %119 to i64
  %125 = add i64 %106, %124
  %126 = cmpxchg weak ptr %111, i64 %114, i64 %125 seq_cst seq_cst, align 64
  %127 = extractvalue { i64, i1 } %126, 1
  %128 = extractvalue { i64, i1 } %126, 0
  br i1 %127, label %129, label %113
129:                                              ; preds = %123
  %130 = add nsw i32 %119, %107
  %131 = zext i32 %130 to i64
  %132 = mul nsw i64 %92, %131
  %133 = mul i32 %130, %93
  %134 = add i32 %133, %108
  %135 = udiv i32 %134, %94
  %136 = zext i32 %135 to i64
  %137 = add nsw i64 %132, %136
  %138 = add i32 %130, 1
  %139 = zext i32 %138 to i64
  %140 = mul nsw i64 %92, %139
  %141 = mul i32 %138, %93
  %142 = add i32 %141, %108
  %143 = udiv i32 %142, %94
  %144 = zext i32 %143 to i64
  %145 = add nsw i64 %140, %144
  call void %89(ptr noundef %91, i64 noundef %137, i64 noundef %145) #8
  %146 = load atomic i64, ptr %22 monotonic, align 8
  %147 = add nsw i64 %146, 1
  store atomic i64 %147, ptr %22 seq_cst, align 8
  br label %109
148:                                              ; preds = %113
  %149 = icmp sgt i32 %95, 1
  br i1 %149, label %150, label %205
150:                                              ; preds = %148
  %151 = icmp sgt i32 %96, 1
  br label %152
152:                                              ; preds = %150, %202
  %153 = phi i32 [ %203, %202 ], [ 1, %150 ]
  %154 = add nsw i32 %153, %103
  %155 = icmp slt i32 %154, %95
  %156 = select i1 %155, i32 0, i32 %95
  %157 = icmp ne i32 %154, %156
  %158 = select i1 %157, i1 true, i1 %151
  br i1 %158, label %159, label %202
159:                                              ; preds = %152
  %160 = sub nsw i32 %154, %156
  %161 = sext i32 %160 to i64
  %162 = mul nsw i32 %160, %96
  br label %163
163:                                              ; preds = %183, %159
  %164 = load ptr, ptr %23, align 8
  %165 = getelementptr inbounds %struct.share, ptr %164, i64 %161
  %166 = load atomic i64, ptr %165 monotonic, align 64
  br label %167
167:                                              ; preds = %177, %163
  %168 = phi i64 [ %166, %163 ], [ %182, %177 ]
  %169 = lshr i64 %168, 16
  %170 = icmp eq i64 %169, %87
  %171 = trunc i64 %168 to i32
  %172 = and i32 %171, 65535
  %173 = select i1 %170, i32 %172, i32 0
  %174 = icmp ule i64 %169, %87
  %175 = icmp slt i32 %173, %96
  %176 = select i1 %174, i1 %175, i1 false
  br i1 %176, label %177, label %202
177:                                              ; preds = %167
  %178 = zext nneg i32 %173 to i64
  %179 = add i64 %106, %178
  %180 = cmpxchg weak ptr %165, i64 %168, i64 %179 seq_cst seq_cst, align 64
  %181 = extractvalue { i64, i1 } %180, 1
  %182 = extractvalue { i64, i1 } %180, 0
  br i1 %181, label %183, label %167
183:                                              ; preds = %177
  %184 = add nsw i32 %173, %162
  %185 = zext i32 %184 to i64
  %186 = mul nsw i64 %92, %185
  %187 = mul i32 %184, %93
  %188 = add i32 %187, %108
  %189 = udiv i32 %188, %94
  %190 = zext i32 %189 to i64
  %191 = add nsw i64 %186, %190
  %192 = add i32 %184, 1
  %193 = zext i32 %192 to i64
  %194 = mul nsw i64 %92, %193
  %195 = mul i32 %192, %93
  %196 = add i32 %195, %108
  %197 = udiv i32 %196, %94
  %198 = zext i32 %197 to i64
  %199 = add nsw i64 %194, %198
  call void %89(ptr noundef %91, i64 noundef %191, i64 noundef %199) #8
  %200 = load atomic i64, ptr %22 monotonic, align 8
  %201 = add nsw i64 %200, 1
  store atomic i64 %201, ptr %22 seq_cst, align 8
  br label %163
202:                                              ; preds = %167, %152
  %203 = add nuw nsw i32 %153, 1
  %204 = icmp eq i32 %203, %95
  br i1 %204, label %205, label %152
205:                                              ; preds = %202, %148
  %206 = load atomic i32, ptr %24 seq_cst, align 4
  %207 = icmp eq i32 %206, 0
  br i1 %207, label %212, label %208
208:                                              ; preds = %205
  %209 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %210 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #8
  %211 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  br label %212
212:                                              ; preds = %86, %205, %208, %98, %83
  %213 = phi i64 [ %27, %83 ], [ %27, %98 ], [ %87, %208 ], [ %87, %205 ], [ %27, %86 ]
  %214 = load atomic i32, ptr %5 seq_cst, align 16
  %215 = icmp eq i32 %214, 0
  br i1 %215, label %26, label %216
216:                                              ; preds = %212, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @sched_yield() local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #5
declare i64 @llvm.smax.i64(i64, i64) #7
declare i32 @llvm.umin.i32(i32, i32) #7
declare i64 @llvm.smin.i64(i64, i64) #7
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
