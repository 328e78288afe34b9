; cbe4bf167ddd4a989727f303b3d0e0525bcdabae3c3dd03b0861caeabb09177a
; Made from pool.c and pool.h, which have that digest, by tools/make_pool_ir.py.

%union.pthread_attr_t = type { i64, [56 x i8] }
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
  %13 = call noalias ptr @calloc(i64 noundef %12, i64 noundef 8) #9
  %14 = getelementptr inbounds nuw i8, ptr %9, i64 432
  store ptr %13, ptr %14, align 16
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
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #8
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 284
  %16 = load i32, ptr %15, align 4
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 432
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 384
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #8
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #8
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #8
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 16
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #8
  %31 = add nuw nsw i64 %26, 1
  %32 = load i32, ptr %15, align 4
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 432
  %37 = load ptr, ptr %36, align 16
  tail call void @free(ptr noundef %37) #8
  tail call void @free(ptr noundef nonnull %0) #8
  br label %38
38:                                               ; preds = %1, %35
  ret void
}
declare i32 @getpid() local_unnamed_addr #0
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #0
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %union.pthread_attr_t, align 8
  %7 = alloca %struct.__sigset_t, align 8
  %8 = alloca %struct.__sigset_t, align 8
  %9 = icmp slt i64 %3, 1
  br i1 %9, label %145, label %10
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
  br label %145
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
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %34 = tail call i32 @pthread_cond_init(ptr noundef nonnull %33, ptr noundef null) #8
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 384
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
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 432
  %48 = load i32, ptr %42, align 4
  %49 = load i32, ptr %16, align 8
  %50 = add nsw i32 %49, -1
  %51 = icmp slt i32 %48, %50
  br i1 %51, label %52, label %65
52:                                               ; preds = %30, %59
  %53 = phi i32 [ %61, %59 ], [ %48, %30 ]
  %54 = load ptr, ptr %47, align 16
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
  br label %145
73:                                               ; preds = %68
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 284
  %75 = load i32, ptr %74, align 4
  %76 = add nsw i32 %75, 1
  %77 = sext i32 %76 to i64
  %78 = shl nsw i64 %77, 2
  %79 = freeze i64 %78
  %80 = sdiv i64 %3, %79
  %81 = mul i64 %80, %79
  %82 = sub i64 %3, %81
  %83 = icmp ne i64 %82, 0
  %84 = zext i1 %83 to i64
  %85 = add nsw i64 %80, %84
  %86 = call i64 @llvm.smax.i64(i64 %85, i64 %11)
  store ptr %1, ptr %0, align 64
  %87 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store ptr %2, ptr %87, align 8
  %88 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %3, ptr %88, align 16
  %89 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %86, ptr %89, align 8
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i64 0, ptr %90 monotonic, align 64
  %91 = getelementptr inbounds nuw i8, ptr %0, i64 276
  %92 = load i32, ptr %91, align 4
  %93 = icmp eq i32 %92, -1
  %94 = add nuw i32 %92, 1
  %95 = select i1 %93, i32 1, i32 %94
  store i32 %95, ptr %91, align 4
  %96 = getelementptr inbounds nuw i8, ptr %0, i64 128
  store atomic i32 %95, ptr %96 seq_cst, align 64
  %97 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %98 = load atomic i32, ptr %97 seq_cst, align 8
  %99 = icmp sgt i32 %98, 0
  br i1 %99, label %100, label %106
100:                                              ; preds = %73
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %102 = call i32 @pthread_mutex_lock(ptr noundef nonnull %101) #8
  %103 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %104 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %103) #8
  %105 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %101) #8
  br label %106
106:                                              ; preds = %100, %73
  %107 = load i64, ptr %88, align 16
  %108 = load i64, ptr %89, align 8
  %109 = atomicrmw add ptr %90, i64 %108 monotonic, align 64
  %110 = icmp slt i64 %109, %107
  br i1 %110, label %111, label %121
111:                                              ; preds = %106, %111
  %112 = phi i64 [ %119, %111 ], [ %109, %106 ]
  %113 = load ptr, ptr %0, align 64
  %114 = load ptr, ptr %87, align 8
  %115 = sub nsw i64 %107, %112
  %116 = icmp slt i64 %115, %108
  %117 = add nsw i64 %112, %108
  %118 = select i1 %116, i64 %107, i64 %117
  call void %113(ptr noundef %114, i64 noundef %112, i64 noundef %118) #8
  %119 = atomicrmw add ptr %90, i64 %108 monotonic, align 64
  %120 = icmp slt i64 %119, %107
  br i1 %120, label %111, label %121
121:                                              ; preds = %111, %106
  store atomic i32 0, ptr %96 seq_cst, align 64
  %122 = getelementptr inbounds nuw i8, ptr %0, i64 192
  br label %123
123:                                              ; preds = %127, %121
  %124 = phi i32 [ 0, %121 ], [ %128, %127 ]
  %125 = load atomic i32, ptr %122 seq_cst, align 64
  %126 = icmp eq i32 %125, 0
  br i1 %126, label %144, label %127
127:                                              ; preds = %123
  call void asm sideeffect "yield", ""() #8
  %128 = add nuw nsw i32 %124, 1
  %129 = icmp eq i32 %128, 4000
  br i1 %129, label %130, label %123
130:                                              ; preds = %127
  %131 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %132 = call i32 @pthread_mutex_lock(ptr noundef nonnull %131) #8
  %133 = getelementptr inbounds nuw i8, ptr %0, i64 268
  store atomic i32 1, ptr %133 seq_cst, align 4
  %134 = load atomic i32, ptr %122 seq_cst, align 64
  %135 = icmp eq i32 %134, 0
  br i1 %135, label %142, label %136
136:                                              ; preds = %130
  %137 = getelementptr inbounds nuw i8, ptr %0, i64 384
  br label %138
138:                                              ; preds = %138, %136
  %139 = call i32 @pthread_cond_wait(ptr noundef nonnull %137, ptr noundef nonnull %131) #8
  %140 = load atomic i32, ptr %122 seq_cst, align 64
  %141 = icmp eq i32 %140, 0
  br i1 %141, label %142, label %138
142:                                              ; preds = %138, %130
  store atomic i32 0, ptr %133 seq_cst, align 4
  %143 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %131) #8
  br label %144
144:                                              ; preds = %123, %142
  store atomic i32 0, ptr %69 seq_cst, align 64
  br label %145
145:                                              ; preds = %5, %144, %72, %19
  ret void
}
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #0
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %3 = load atomic i32, ptr %2 seq_cst, align 16
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %98
5:                                                ; preds = %1
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 268
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 384
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
  tail call void asm sideeffect "yield", ""() #8
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
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i64 @llvm.smax.i64(i64, i64) #7
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
