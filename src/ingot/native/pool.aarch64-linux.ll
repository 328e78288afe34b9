; d07ce35cfb0ce30e740427d036a23e61f4ef36868d49614e400e3ba689662556
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
  %12 = phi i32 [ 0, %2 ], [ %53, %35 ]
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
  br i1 %23, label %54, label %24
24:                                               ; preds = %15
  %25 = load i32, ptr %5, align 4
  %26 = icmp slt i32 %22, %25
  br i1 %26, label %27, label %54
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
  %43 = udiv i32 %41, %42
  %44 = zext i32 %43 to i64
  %45 = add nsw i64 %39, %44
  %46 = add nuw nsw i32 %22, 1
  %47 = zext nneg i32 %46 to i64
  %48 = mul nsw i64 %38, %47
  %49 = mul i32 %40, %46
  %50 = udiv i32 %49, %42
  %51 = zext i32 %50 to i64
  %52 = add nsw i64 %48, %51
  tail call void %36(ptr noundef %37, i64 noundef %45, i64 noundef %52) #8
  %53 = add nuw nsw i32 %12, 1
  br label %11
54:                                               ; preds = %15, %24
  %55 = load i32, ptr %10, align 4
  %56 = zext i32 %55 to i64
  %57 = zext nneg i32 %12 to i64
  %58 = sub nsw i64 %56, %57
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %60 = load i64, ptr %59, align 16
  %61 = add nsw i64 %58, %60
  store i64 %61, ptr %59, align 16
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %63 = load i32, ptr %62, align 32
  %64 = icmp slt i32 %63, 1
  br i1 %64, label %79, label %65
65:                                               ; preds = %54, %65
  %66 = phi i64 [ %73, %65 ], [ 1, %54 ]
  %67 = phi i64 [ %72, %65 ], [ 0, %54 ]
  %68 = load ptr, ptr %4, align 8
  %69 = getelementptr inbounds nuw %struct.share, ptr %68, i64 %66
  %70 = getelementptr inbounds nuw i8, ptr %69, i64 64
  %71 = load atomic i64, ptr %70 seq_cst, align 64
  %72 = add nsw i64 %71, %67
  %73 = add nuw nsw i64 %66, 1
  %74 = load i32, ptr %62, align 32
  %75 = sext i32 %74 to i64
  %76 = icmp slt i64 %66, %75
  br i1 %76, label %65, label %77
77:                                               ; preds = %65
  %78 = load i64, ptr %59, align 16
  br label %79
79:                                               ; preds = %77, %54
  %80 = phi i32 [ %63, %54 ], [ %74, %77 ]
  %81 = phi i64 [ %61, %54 ], [ %78, %77 ]
  %82 = phi i64 [ 0, %54 ], [ %72, %77 ]
  %83 = icmp eq i64 %82, %81
  br i1 %83, label %84, label %103
84:                                               ; preds = %163, %158, %138, %118, %79
  %85 = phi i32 [ %164, %163 ], [ %159, %158 ], [ %139, %138 ], [ %119, %118 ], [ %80, %79 ]
  %86 = icmp slt i32 %85, 1
  br i1 %86, label %99, label %87
87:                                               ; preds = %84, %87
  %88 = phi i64 [ %95, %87 ], [ 1, %84 ]
  %89 = phi i64 [ %94, %87 ], [ 0, %84 ]
  %90 = load ptr, ptr %4, align 8
  %91 = getelementptr inbounds nuw %struct.share, ptr %90, i64 %88
  %92 = getelementptr inbounds nuw i8, ptr %91, i64 64
  %93 = load atomic i64, ptr %92 seq_cst, align 64
  %94 = add nsw i64 %93, %89
  %95 = add nuw nsw i64 %88, 1
  %96 = load i32, ptr %62, align 32
  %97 = sext i32 %96 to i64
  %98 = icmp slt i64 %88, %97
  br i1 %98, label %87, label %99
99:                                               ; preds = %87, %84
  %100 = phi i64 [ 0, %84 ], [ %94, %87 ]
  %101 = load i64, ptr %59, align 16
  %102 = icmp eq i64 %100, %101
  br i1 %102, label %241, label %165
103:                                              ; preds = %79
  tail call void asm sideeffect "yield", ""() #8
  %104 = load i32, ptr %62, align 32
  %105 = icmp slt i32 %104, 1
  br i1 %105, label %118, label %106
106:                                              ; preds = %103, %106
  %107 = phi i64 [ %114, %106 ], [ 1, %103 ]
  %108 = phi i64 [ %113, %106 ], [ 0, %103 ]
  %109 = load ptr, ptr %4, align 8
  %110 = getelementptr inbounds nuw %struct.share, ptr %109, i64 %107
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 64
  %112 = load atomic i64, ptr %111 seq_cst, align 64
  %113 = add nsw i64 %112, %108
  %114 = add nuw nsw i64 %107, 1
  %115 = load i32, ptr %62, align 32
  %116 = sext i32 %115 to i64
  %117 = icmp slt i64 %107, %116
  br i1 %117, label %106, label %118
118:                                              ; preds = %106, %103
  %119 = phi i32 [ %104, %103 ], [ %115, %106 ]
  %120 = phi i64 [ 0, %103 ], [ %113, %106 ]
  %121 = load i64, ptr %59, align 16
  %122 = icmp eq i64 %120, %121
  br i1 %122, label %84, label %123
123:                                              ; preds = %118
  tail call void asm sideeffect "yield", ""() #8
  %124 = load i32, ptr %62, align 32
  %125 = icmp slt i32 %124, 1
  br i1 %125, label %138, label %126
126:                                              ; preds = %123, %126
  %127 = phi i64 [ %134, %126 ], [ 1, %123 ]
  %128 = phi i64 [ %133, %126 ], [ 0, %123 ]
  %129 = load ptr, ptr %4, align 8
  %130 = getelementptr inbounds nuw %struct.share, ptr %129, i64 %127
  %131 = getelementptr inbounds nuw i8, ptr %130, i64 64
  %132 = load atomic i64, ptr %131 seq_cst, align 64
  %133 = add nsw i64 %132, %128
  %134 = add nuw nsw i64 %127, 1
  %135 = load i32, ptr %62, align 32
  %136 = sext i32 %135 to i64
  %137 = icmp slt i64 %127, %136
  br i1 %137, label %126, label %138
138:                                              ; preds = %126, %123
  %139 = phi i32 [ %124, %123 ], [ %135, %126 ]
  %140 = phi i64 [ 0, %123 ], [ %133, %126 ]
  %141 = load i64, ptr %59, align 16
  %142 = icmp eq i64 %140, %141
  br i1 %142, label %84, label %143
143:                                              ; preds = %138
  tail call void asm sideeffect "yield", ""() #8
  %144 = load i32, ptr %62, align 32
  %145 = icmp slt i32 %144, 1
  br i1 %145, label %158, label %146
146:                                              ; preds = %143, %146
  %147 = phi i64 [ %154, %146 ], [ 1, %143 ]
  %148 = phi i64 [ %153, %146 ], [ 0, %143 ]
  %149 = load ptr, ptr %4, align 8
  %150 = getelementptr inbounds nuw %struct.share, ptr %149, i64 %147
  %151 = getelementptr inbounds nuw i8, ptr %150, i64 64
  %152 = load atomic i64, ptr %151 seq_cst, align 64
  %153 = add nsw i64 %152, %148
  %154 = add nuw nsw i64 %147, 1
  %155 = load i32, ptr %62, align 32
  %156 = sext i32 %155 to i64
  %157 = icmp slt i64 %147, %156
  br i1 %157, label %146, label %158
158:                                              ; preds = %146, %143
  %159 = phi i32 [ %144, %143 ], [ %155, %146 ]
  %160 = phi i64 [ 0, %143 ], [ %153, %146 ]
  %161 = load i64, ptr %59, align 16
  %162 = icmp eq i64 %160, %161
  br i1 %162, label %84, label %163
163:                                              ; preds = %158
  tail call void asm sideeffect "yield", ""() #8
  %164 = load i32, ptr %62, align 32
  br label %84
165:                                              ; preds = %99
  %166 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %167 = load i32, ptr %166, align 8
  %168 = icmp sgt i32 %167, 1
  br i1 %168, label %169, label %241
169:                                              ; preds = %165, %233
  %170 = phi i32 [ %234, %233 ], [ %167, %165 ]
  %171 = phi i32 [ %235, %233 ], [ 0, %165 ]
  %172 = phi i32 [ %236, %233 ], [ 1, %165 ]
  %173 = icmp slt i32 %172, %170
  %174 = select i1 %173, i32 0, i32 %170
  %175 = sub nsw i32 %172, %174
  %176 = icmp eq i32 %172, %174
  br i1 %176, label %177, label %180
177:                                              ; preds = %169
  %178 = load i32, ptr %5, align 4
  %179 = icmp sgt i32 %178, 1
  br i1 %179, label %180, label %233
180:                                              ; preds = %177, %169
  %181 = sext i32 %175 to i64
  br label %182
182:                                              ; preds = %207, %180
  %183 = phi i32 [ 0, %180 ], [ %229, %207 ]
  %184 = load ptr, ptr %4, align 8
  %185 = getelementptr inbounds %struct.share, ptr %184, i64 %181
  %186 = load atomic i64, ptr %185 monotonic, align 64
  br label %187
187:                                              ; preds = %199, %182
  %188 = phi i64 [ %186, %182 ], [ %206, %199 ]
  %189 = lshr i64 %188, 16
  %190 = load i64, ptr %1, align 8
  %191 = icmp eq i64 %189, %190
  %192 = trunc i64 %188 to i32
  %193 = and i32 %192, 65535
  %194 = select i1 %191, i32 %193, i32 0
  %195 = icmp ugt i64 %189, %190
  br i1 %195, label %230, label %196
196:                                              ; preds = %187
  %197 = load i32, ptr %5, align 4
  %198 = icmp slt i32 %194, %197
  br i1 %198, label %199, label %230
199:                                              ; preds = %196
  %200 = shl i64 %190, 16
  %201 = zext nneg i32 %194 to i64
  %202 = or disjoint i64 %200, 1
  %203 = add i64 %202, %201
  %204 = cmpxchg weak ptr %185, i64 %188, i64 %203 seq_cst seq_cst, align 64
  %205 = extractvalue { i64, i1 } %204, 1
  %206 = extractvalue { i64, i1 } %204, 0
  br i1 %205, label %207, label %187
207:                                              ; preds = %199
  %208 = load i32, ptr %5, align 4
  %209 = mul nsw i32 %208, %175
  %210 = add nsw i32 %209, %194
  %211 = load ptr, ptr %6, align 8
  %212 = load ptr, ptr %7, align 8
  %213 = load i64, ptr %8, align 8
  %214 = zext i32 %210 to i64
  %215 = mul nsw i64 %213, %214
  %216 = load i32, ptr %9, align 8
  %217 = mul i32 %216, %210
  %218 = load i32, ptr %10, align 4
  %219 = udiv i32 %217, %218
  %220 = zext i32 %219 to i64
  %221 = add nsw i64 %215, %220
  %222 = add i32 %210, 1
  %223 = zext i32 %222 to i64
  %224 = mul nsw i64 %213, %223
  %225 = mul i32 %216, %222
  %226 = udiv i32 %225, %218
  %227 = zext i32 %226 to i64
  %228 = add nsw i64 %224, %227
  tail call void %211(ptr noundef %212, i64 noundef %221, i64 noundef %228) #8
  %229 = add nuw nsw i32 %183, 1
  br label %182
230:                                              ; preds = %196, %187
  %231 = add nsw i32 %183, %171
  %232 = load i32, ptr %166, align 8
  br label %233
233:                                              ; preds = %230, %177
  %234 = phi i32 [ %232, %230 ], [ %170, %177 ]
  %235 = phi i32 [ %231, %230 ], [ %171, %177 ]
  %236 = add nuw nsw i32 %172, 1
  %237 = icmp slt i32 %236, %234
  br i1 %237, label %169, label %238
238:                                              ; preds = %233
  %239 = load i64, ptr %59, align 16
  %240 = sext i32 %235 to i64
  br label %241
241:                                              ; preds = %165, %238, %99
  %242 = phi i64 [ %100, %99 ], [ %101, %165 ], [ %239, %238 ]
  %243 = phi i64 [ 0, %99 ], [ 0, %165 ], [ %240, %238 ]
  %244 = sub nsw i64 %242, %243
  store i64 %244, ptr %59, align 16
  %245 = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %246
246:                                              ; preds = %289, %241
  %247 = phi i32 [ 0, %241 ], [ %270, %289 ]
  %248 = phi i64 [ 0, %241 ], [ %280, %289 ]
  br label %249
249:                                              ; preds = %269, %246
  %250 = phi i32 [ %247, %246 ], [ %270, %269 ]
  %251 = load i32, ptr %62, align 32
  %252 = icmp slt i32 %251, 1
  br i1 %252, label %265, label %253
253:                                              ; preds = %249, %253
  %254 = phi i64 [ %261, %253 ], [ 1, %249 ]
  %255 = phi i64 [ %260, %253 ], [ 0, %249 ]
  %256 = load ptr, ptr %4, align 8
  %257 = getelementptr inbounds nuw %struct.share, ptr %256, i64 %254
  %258 = getelementptr inbounds nuw i8, ptr %257, i64 64
  %259 = load atomic i64, ptr %258 seq_cst, align 64
  %260 = add nsw i64 %259, %255
  %261 = add nuw nsw i64 %254, 1
  %262 = load i32, ptr %62, align 32
  %263 = sext i32 %262 to i64
  %264 = icmp slt i64 %254, %263
  br i1 %264, label %253, label %265
265:                                              ; preds = %253, %249
  %266 = phi i64 [ 0, %249 ], [ %260, %253 ]
  %267 = load i64, ptr %59, align 16
  %268 = icmp eq i64 %266, %267
  br i1 %268, label %318, label %269
269:                                              ; preds = %265
  call void asm sideeffect "yield", ""() #8
  %270 = add i32 %250, 1
  %271 = and i32 %270, 63
  %272 = icmp eq i32 %271, 0
  br i1 %272, label %273, label %249
273:                                              ; preds = %269
  %274 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #8
  %275 = load i64, ptr %3, align 8
  %276 = mul nsw i64 %275, 1000000000
  %277 = load i64, ptr %245, align 8
  %278 = add nsw i64 %276, %277
  %279 = icmp ne i32 %270, 64
  %280 = select i1 %279, i64 %248, i64 %278
  %281 = sub i64 %278, %248
  %282 = icmp sgt i64 %281, 50000
  %283 = select i1 %279, i1 %282, i1 false
  br i1 %283, label %284, label %288
284:                                              ; preds = %273
  %285 = call i32 @sched_yield() #8
  %286 = sub nsw i64 %278, %280
  %287 = icmp sgt i64 %286, 999999
  br i1 %287, label %290, label %289
288:                                              ; preds = %273
  br label %289
289:                                              ; preds = %288, %284
  br label %246
290:                                              ; preds = %284
  %291 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %292 = call i32 @pthread_mutex_lock(ptr noundef nonnull %291) #8
  %293 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %293 seq_cst, align 4
  %294 = getelementptr inbounds nuw i8, ptr %0, i64 200
  br label %295
295:                                              ; preds = %314, %290
  %296 = load i32, ptr %62, align 32
  %297 = icmp slt i32 %296, 1
  br i1 %297, label %310, label %298
298:                                              ; preds = %295, %298
  %299 = phi i64 [ %306, %298 ], [ 1, %295 ]
  %300 = phi i64 [ %305, %298 ], [ 0, %295 ]
  %301 = load ptr, ptr %4, align 8
  %302 = getelementptr inbounds nuw %struct.share, ptr %301, i64 %299
  %303 = getelementptr inbounds nuw i8, ptr %302, i64 64
  %304 = load atomic i64, ptr %303 seq_cst, align 64
  %305 = add nsw i64 %304, %300
  %306 = add nuw nsw i64 %299, 1
  %307 = load i32, ptr %62, align 32
  %308 = sext i32 %307 to i64
  %309 = icmp slt i64 %299, %308
  br i1 %309, label %298, label %310
310:                                              ; preds = %298, %295
  %311 = phi i64 [ 0, %295 ], [ %305, %298 ]
  %312 = load i64, ptr %59, align 16
  %313 = icmp eq i64 %311, %312
  br i1 %313, label %316, label %314
314:                                              ; preds = %310
  %315 = call i32 @pthread_cond_wait(ptr noundef nonnull %294, ptr noundef nonnull %291) #8
  br label %295
316:                                              ; preds = %310
  store atomic i32 0, ptr %293 seq_cst, align 4
  %317 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %291) #8
  br label %318
318:                                              ; preds = %265, %316
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
  br i1 %7, label %8, label %211
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
26:                                               ; preds = %8, %207
  %27 = phi i64 [ 0, %8 ], [ %208, %207 ]
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
  br i1 %85, label %86, label %207
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
  br i1 %97, label %207, label %98
98:                                               ; preds = %86
  %99 = load atomic i64, ptr %4 monotonic, align 64
  %100 = icmp eq i64 %99, %87
  br i1 %100, label %101, label %207
101:                                              ; preds = %98
  %102 = load i32, ptr %21, align 8
  %103 = srem i32 %102, %95
  %104 = sext i32 %103 to i64
  %105 = shl i64 %87, 16
  %106 = or disjoint i64 %105, 1
  %107 = mul nsw i32 %103, %96
  br label %108
108:                                              ; preds = %128, %101
  %109 = load ptr, ptr %23, align 8
  %110 = getelementptr inbounds %struct.share, ptr %109, i64 %104
  %111 = load atomic i64, ptr %110 monotonic, align 64
  br label %112
112:                                              ; preds = %122, %108
  %113 = phi i64 [ %111, %108 ], [ %127, %122 ]
  %114 = lshr i64 %113, 16
  %115 = icmp eq i64 %114, %87
  %116 = trunc i64 %113 to i32
  %117 = and i32 %116, 65535
  %118 = select i1 %115, i32 %117, i32 0
  %119 = icmp ule i64 %114, %87
  %120 = icmp slt i32 %118, %96
  %121 = select i1 %119, i1 %120, i1 false
  br i1 %121, label %122, label %145
122:                                              ; preds = %112
  %123 = zext nneg i32 %118 to i64
  %124 = add i64 %106, %123
  %125 = cmpxchg weak ptr %110, i64 %113, i64 %124 seq_cst seq_cst, align 64
  %126 = extractvalue { i64, i1 } %125, 1
  %127 = extractvalue { i64, i1 } %125, 0
  br i1 %126, label %128, label %112
128:                                              ; preds = %122
  %129 = add nsw i32 %118, %107
  %130 = zext i32 %129 to i64
  %131 = mul nsw i64 %92, %130
  %132 = mul i32 %129, %93
  %133 = udiv i32 %132, %94
  %134 = zext i32 %133 to i64
  %135 = add nsw i64 %131, %134
  %136 = add i32 %129, 1
  %137 = zext i32 %136 to i64
  %138 = mul nsw i64 %92, %137
  %139 = mul i32 %136, %93
  %140 = udiv i32 %139, %94
  %141 = zext i32 %140 to i64
  %142 = add nsw i64 %138, %141
  call void %89(ptr noundef %91, i64 noundef %135, i64 noundef %142) #8
  %143 = load atomic i64, ptr %22 monotonic, align 8
  %144 = add nsw i64 %143, 1
  store atomic i64 %144, ptr %22 seq_cst, align 8
  br label %108
145:                                              ; preds = %112
  %146 = icmp sgt i32 %95, 1
  br i1 %146, label %147, label %200
147:                                              ; preds = %145
  %148 = icmp sgt i32 %96, 1
  br label %149
149:                                              ; preds = %147, %197
  %150 = phi i32 [ %198, %197 ], [ 1, %147 ]
  %151 = add nsw i32 %150, %103
  %152 = icmp slt i32 %151, %95
  %153 = select i1 %152, i32 0, i32 %95
  %154 = icmp ne i32 %151, %153
  %155 = select i1 %154, i1 true, i1 %148
  br i1 %155, label %156, label %197
156:                                              ; preds = %149
  %157 = sub nsw i32 %151, %153
  %158 = sext i32 %157 to i64
  %159 = mul nsw i32 %157, %96
  br label %160
160:                                              ; preds = %180, %156
  %161 = load ptr, ptr %23, align 8
  %162 = getelementptr inbounds %struct.share, ptr %161, i64 %158
  %163 = load atomic i64, ptr %162 monotonic, align 64
  br label %164
164:                                              ; preds = %174, %160
  %165 = phi i64 [ %163, %160 ], [ %179, %174 ]
  %166 = lshr i64 %165, 16
  %167 = icmp eq i64 %166, %87
  %168 = trunc i64 %165 to i32
  %169 = and i32 %168, 65535
  %170 = select i1 %167, i32 %169, i32 0
  %171 = icmp ule i64 %166, %87
  %172 = icmp slt i32 %170, %96
  %173 = select i1 %171, i1 %172, i1 false
  br i1 %173, label %174, label %197
174:                                              ; preds = %164
  %175 = zext nneg i32 %170 to i64
  %176 = add i64 %106, %175
  %177 = cmpxchg weak ptr %162, i64 %165, i64 %176 seq_cst seq_cst, align 64
  %178 = extractvalue { i64, i1 } %177, 1
  %179 = extractvalue { i64, i1 } %177, 0
  br i1 %178, label %180, label %164
180:                                              ; preds = %174
  %181 = add nsw i32 %170, %159
  %182 = zext i32 %181 to i64
  %183 = mul nsw i64 %92, %182
  %184 = mul i32 %181, %93
  %185 = udiv i32 %184, %94
  %186 = zext i32 %185 to i64
  %187 = add nsw i64 %183, %186
  %188 = add i32 %181, 1
  %189 = zext i32 %188 to i64
  %190 = mul nsw i64 %92, %189
  %191 = mul i32 %188, %93
  %192 = udiv i32 %191, %94
  %193 = zext i32 %192 to i64
  %194 = add nsw i64 %190, %193
  call void %89(ptr noundef %91, i64 noundef %187, i64 noundef %194) #8
  %195 = load atomic i64, ptr %22 monotonic, align 8
  %196 = add nsw i64 %195, 1
  store atomic i64 %196, ptr %22 seq_cst, align 8
  br label %160
197:                                              ; preds = %164, %149
  %198 = add nuw nsw i32 %150, 1
  %199 = icmp eq i32 %198, %95
  br i1 %199, label %200, label %149
200:                                              ; preds = %197, %145
  %201 = load atomic i32, ptr %24 seq_cst, align 4
  %202 = icmp eq i32 %201, 0
  br i1 %202, label %207, label %203
203:                                              ; preds = %200
  %204 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #8
  %205 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #8
  %206 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  br label %207
207:                                              ; preds = %86, %200, %203, %98, %83
  %208 = phi i64 [ %27, %83 ], [ %27, %98 ], [ %87, %203 ], [ %87, %200 ], [ %27, %86 ]
  %209 = load atomic i32, ptr %5 seq_cst, align 16
  %210 = icmp eq i32 %209, 0
  br i1 %210, label %26, label %211
211:                                              ; preds = %207, %1
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
