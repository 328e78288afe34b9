; bc834868b8b5d18a5d0dd59525b121c16a23480a3bf6a93c24001407939b9655
; Made from pool.c, pool_loop.h, pool_costs.h, pool_team.h, pool_ways.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, i64, [48 x i8], i64, i32, ptr, [40 x i8], i64, i64, [48 x i8] }
%struct.timespec = type { i64, i64 }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.times = type { ptr, i64, [3 x i64], [3 x i64] }
%struct.member = type { ptr, i64, i64, i64, i64, i32 }
%struct.cpu_set_t = type { [16 x i64] }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %76, label %4
4:                                                ; preds = %1
  %5 = tail call i32 @llvm.umin.i32(i32 %0, i32 1024)
  store ptr null, ptr %2, align 8
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4736) #14
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %74
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #14
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #14
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #14
  br label %18
18:                                               ; preds = %8, %13, %16
  %19 = phi ptr [ null, %16 ], [ null, %8 ], [ %11, %13 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(336) %9, i8 0, i64 336, i1 false)
  %20 = getelementptr inbounds nuw i8, ptr %9, i64 336
  store ptr %19, ptr %20, align 16
  %21 = getelementptr inbounds nuw i8, ptr %9, i64 344
  store i32 0, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 348
  store i32 %5, ptr %22, align 4
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 352
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 32 dereferenceable(4384) %23, i8 0, i64 4384, i1 false)
  %24 = zext nneg i32 %5 to i64
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #18
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 496
  store ptr %25, ptr %27, align 16
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 328
  %31 = mul nuw nsw i64 %24, 192
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #14
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %51, label %34
34:                                               ; preds = %29
  %35 = load ptr, ptr %2, align 8
  br label %36
36:                                               ; preds = %34, %18
  %37 = phi ptr [ %35, %34 ], [ %26, %18 ]
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 328
  store ptr null, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %37, i64 336
  %40 = load ptr, ptr %39, align 16
  %41 = icmp eq ptr %40, null
  br i1 %41, label %45, label %42
42:                                               ; preds = %36
  %43 = call i64 @sysconf(i32 noundef 30) #14
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #14
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 496
  %47 = load ptr, ptr %46, align 16
  call void @free(ptr noundef %47) #14
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #14
  call void @free(ptr noundef nonnull %37) #14
  br label %74
49:                                               ; preds = %51
  %50 = load ptr, ptr %2, align 8
  br label %74
51:                                               ; preds = %29, %51
  %52 = phi i64 [ %72, %51 ], [ 0, %29 ]
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 328
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds nuw %struct.share, ptr %55, i64 %52
  store i64 0, ptr %56, align 8
  %57 = load ptr, ptr %2, align 8
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 328
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr inbounds nuw %struct.share, ptr %59, i64 %52
  %61 = getelementptr inbounds nuw i8, ptr %60, i64 8
  store i64 0, ptr %61, align 8
  %62 = load ptr, ptr %2, align 8
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 328
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds nuw %struct.share, ptr %64, i64 %52
  %66 = getelementptr inbounds nuw i8, ptr %65, i64 128
  store i64 0, ptr %66, align 8
  %67 = load ptr, ptr %2, align 8
  %68 = getelementptr inbounds nuw i8, ptr %67, i64 328
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds nuw %struct.share, ptr %69, i64 %52
  %71 = getelementptr inbounds nuw i8, ptr %70, i64 136
  store i64 0, ptr %71, align 8
  %72 = add nuw nsw i64 %52, 1
  %73 = icmp eq i64 %72, %24
  br i1 %73, label %49, label %51
74:                                               ; preds = %4, %49, %45
  %75 = phi ptr [ %50, %49 ], [ null, %45 ], [ null, %4 ]
  br label %76
76:                                               ; preds = %1, %74
  %77 = phi ptr [ %75, %74 ], [ null, %1 ]
  ret ptr %77
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg) #4
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #5
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %47, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %5 = load atomic i32, ptr %4 seq_cst, align 8
  %6 = tail call i32 @getpid() #14
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #14
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #14
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #14
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 496
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 448
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #14
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #14
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #14
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 16
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #14
  %31 = add nuw nsw i64 %26, 1
  %32 = load i32, ptr %15, align 32
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %37 = load ptr, ptr %36, align 16
  %38 = icmp eq ptr %37, null
  br i1 %38, label %42, label %39
39:                                               ; preds = %35
  %40 = tail call i64 @sysconf(i32 noundef 30) #14
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #14
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 496
  %44 = load ptr, ptr %43, align 16
  tail call void @free(ptr noundef %44) #14
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #14
  tail call void @free(ptr noundef nonnull %0) #14
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
define i32 @ingot_pool_threads(ptr noundef %0) local_unnamed_addr #8 {
  %2 = icmp ne ptr %0, null
  %3 = ptrtoint ptr %0 to i64
  %4 = and i64 %3, 1
  %5 = icmp eq i64 %4, 0
  %6 = and i1 %2, %5
  br i1 %6, label %7, label %10
7:                                                ; preds = %1
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %9 = load i32, ptr %8, align 4
  br label %10
10:                                               ; preds = %1, %7
  %11 = phi i32 [ %9, %7 ], [ 1, %1 ]
  ret i32 %11
}
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %struct.timespec, align 8
  %9 = alloca %struct.timespec, align 8
  %10 = icmp slt i64 %3, 1
  br i1 %10, label %482, label %11
11:                                               ; preds = %5
  %12 = icmp sgt i64 %4, 1
  br i1 %12, label %13, label %15
13:                                               ; preds = %11
  %14 = udiv i64 %3, %4
  br label %15
15:                                               ; preds = %11, %13
  %16 = phi i64 [ %14, %13 ], [ %3, %11 ]
  %17 = ptrtoint ptr %0 to i64
  %18 = and i64 %17, 1
  %19 = icmp eq i64 %18, 0
  br i1 %19, label %396, label %20
20:                                               ; preds = %15
  %21 = add nsw i64 %17, -1
  %22 = inttoptr i64 %21 to ptr
  %23 = icmp slt i64 %4, 0
  br i1 %23, label %24, label %30
24:                                               ; preds = %20
  %25 = sub nsw i64 0, %4
  %26 = udiv i64 9223372036854775807, %25
  %27 = icmp samesign ult i64 %3, %26
  %28 = mul nuw nsw i64 %3, %25
  %29 = select i1 %27, i64 %28, i64 9223372036854775807
  br label %34
30:                                               ; preds = %20
  %31 = icmp samesign ugt i64 %4, 1
  br i1 %31, label %32, label %34
32:                                               ; preds = %30
  %33 = udiv i64 %3, %4
  br label %34
34:                                               ; preds = %24, %30, %32
  %35 = phi i64 [ %29, %24 ], [ %33, %32 ], [ 9223372036854775807, %30 ]
  %36 = icmp samesign ult i64 %16, 2
  br i1 %36, label %41, label %37
37:                                               ; preds = %34
  %38 = getelementptr inbounds nuw i8, ptr %22, i64 8
  %39 = load i64, ptr %38, align 8
  %40 = icmp slt i64 %35, %39
  br i1 %40, label %41, label %59
41:                                               ; preds = %37, %34
  %42 = getelementptr inbounds nuw i8, ptr %22, i64 24
  %43 = load i64, ptr %42, align 8
  %44 = add i64 %43, 1
  store i64 %44, ptr %42, align 8
  %45 = getelementptr inbounds nuw i8, ptr %22, i64 32
  store i64 %44, ptr %45, align 8
  %46 = getelementptr inbounds nuw i8, ptr %22, i64 40
  %47 = load i32, ptr %46, align 8
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %49, label %482
49:                                               ; preds = %41
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #14
  %50 = load i64, ptr %42, align 8
  %51 = shl i64 %50, 1
  %52 = load ptr, ptr %22, align 8
  %53 = getelementptr inbounds nuw i8, ptr %52, i64 328
  %54 = load ptr, ptr %53, align 8
  %55 = load i32, ptr %46, align 8
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds %struct.share, ptr %54, i64 %56
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 128
  store atomic i64 %51, ptr %58 release, align 64
  br label %482
59:                                               ; preds = %37
  %60 = load ptr, ptr %22, align 8
  %61 = getelementptr inbounds nuw i8, ptr %22, i64 24
  %62 = load i64, ptr %61, align 8
  %63 = add i64 %62, 1
  store i64 %63, ptr %61, align 8
  %64 = getelementptr inbounds nuw i8, ptr %22, i64 40
  %65 = load i32, ptr %64, align 8
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %117, label %67
67:                                               ; preds = %59
  %68 = getelementptr inbounds nuw i8, ptr %22, i64 32
  %69 = load i64, ptr %68, align 8
  %70 = icmp eq i64 %69, 0
  br i1 %70, label %117, label %71
71:                                               ; preds = %67
  %72 = shl i64 %69, 1
  %73 = getelementptr inbounds nuw i8, ptr %60, i64 328
  %74 = load ptr, ptr %73, align 8
  %75 = sub nsw i32 1, %65
  %76 = sext i32 %75 to i64
  %77 = getelementptr inbounds %struct.share, ptr %74, i64 %76
  %78 = getelementptr inbounds nuw i8, ptr %77, i64 128
  %79 = load atomic i64, ptr %78 acquire, align 64
  %80 = icmp ult i64 %79, %72
  br i1 %80, label %81, label %114
81:                                               ; preds = %71
  %82 = getelementptr inbounds nuw i8, ptr %9, i64 8
  br label %83
83:                                               ; preds = %102, %81
  %84 = phi i64 [ 0, %81 ], [ %103, %102 ]
  %85 = phi i32 [ 0, %81 ], [ %86, %102 ]
  call void @llvm.x86.sse2.pause()
  %86 = add i32 %85, 1
  %87 = and i32 %86, 63
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %89, label %102
89:                                               ; preds = %83
  %90 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #14
  %91 = load i64, ptr %9, align 8
  %92 = mul nsw i64 %91, 1000000000
  %93 = load i64, ptr %82, align 8
  %94 = add nsw i64 %92, %93
  %95 = icmp ne i32 %86, 64
  %96 = select i1 %95, i64 %84, i64 %94
  %97 = sub i64 %94, %84
  %98 = icmp sgt i64 %97, 50000
  %99 = select i1 %95, i1 %98, i1 false
  br i1 %99, label %100, label %102
100:                                              ; preds = %89
  %101 = call i32 @sched_yield() #14
  br label %102
102:                                              ; preds = %100, %89, %83
  %103 = phi i64 [ %96, %100 ], [ %96, %89 ], [ %84, %83 ]
  %104 = load ptr, ptr %22, align 8
  %105 = getelementptr inbounds nuw i8, ptr %104, i64 328
  %106 = load ptr, ptr %105, align 8
  %107 = load i32, ptr %64, align 8
  %108 = sub nsw i32 1, %107
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds %struct.share, ptr %106, i64 %109
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 128
  %112 = load atomic i64, ptr %111 acquire, align 64
  %113 = icmp ult i64 %112, %72
  br i1 %113, label %83, label %114
114:                                              ; preds = %102, %71
  store i64 0, ptr %68, align 8
  %115 = load i32, ptr %64, align 8
  %116 = icmp eq i32 %115, 0
  br label %117
117:                                              ; preds = %114, %67, %59
  %118 = phi i1 [ %116, %114 ], [ false, %67 ], [ true, %59 ]
  %119 = lshr i64 %35, 2
  %120 = call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %16, i64 %119)
  %121 = lshr i64 %120, 1
  %122 = call i64 @llvm.umax.i64(i64 %121, i64 1)
  %123 = call i64 @llvm.umin.i64(i64 %122, i64 8)
  %124 = trunc nuw nsw i64 %123 to i32
  %125 = shl nuw nsw i32 %124, 1
  %126 = zext nneg i32 %125 to i64
  %127 = udiv i64 %3, %126
  %128 = urem i64 %3, %126
  %129 = trunc nuw nsw i64 %128 to i32
  br i1 %118, label %130, label %184
130:                                              ; preds = %117
  %131 = add nsw i32 %125, -1
  %132 = trunc nuw nsw i32 %131 to i8
  %133 = trunc nuw nsw i32 %125 to i8
  %134 = udiv i8 %132, %133
  %135 = zext nneg i8 %134 to i64
  %136 = add nuw nsw i32 %131, %129
  %137 = trunc nuw nsw i32 %136 to i8
  %138 = udiv i8 %137, %133
  %139 = zext nneg i8 %138 to i64
  %140 = add nuw nsw i64 %127, %139
  call void %1(ptr noundef %2, i64 noundef %135, i64 noundef %140) #14
  %141 = icmp samesign ugt i64 %120, 3
  br i1 %141, label %142, label %228
142:                                              ; preds = %130
  %143 = getelementptr inbounds nuw i8, ptr %60, i64 328
  %144 = shl i64 %63, 16
  %145 = or disjoint i64 %144, 1
  br label %146
146:                                              ; preds = %166, %142
  %147 = phi i32 [ 0, %142 ], [ %181, %166 ]
  %148 = load ptr, ptr %143, align 8
  %149 = load atomic i64, ptr %148 acquire, align 64
  br label %150
150:                                              ; preds = %160, %146
  %151 = phi i64 [ %149, %146 ], [ %165, %160 ]
  %152 = lshr i64 %151, 16
  %153 = icmp eq i64 %152, %63
  %154 = trunc i64 %151 to i32
  %155 = and i32 %154, 65535
  %156 = select i1 %153, i32 %155, i32 1
  %157 = icmp ule i64 %152, %63
  %158 = icmp samesign ult i32 %156, %124
  %159 = select i1 %157, i1 %158, i1 false
  br i1 %159, label %160, label %182
160:                                              ; preds = %150
  %161 = zext nneg i32 %156 to i64
  %162 = add nuw i64 %145, %161
  %163 = cmpxchg weak ptr %148, i64 %151, i64 %162 seq_cst seq_cst, align 64
  %164 = extractvalue { i64, i1 } %163, 1
  %165 = extractvalue { i64, i1 } %163, 0
  br i1 %164, label %166, label %150
166:                                              ; preds = %160
  %167 = mul nuw nsw i64 %127, %161
  %168 = mul nuw nsw i32 %156, %129
  %169 = add nuw nsw i32 %168, %131
  %170 = udiv i32 %169, %125
  %171 = zext nneg i32 %170 to i64
  %172 = add nuw nsw i64 %167, %171
  %173 = add nuw nsw i32 %156, 1
  %174 = zext nneg i32 %173 to i64
  %175 = mul nuw nsw i64 %127, %174
  %176 = mul nuw nsw i32 %173, %129
  %177 = add nuw nsw i32 %176, %131
  %178 = udiv i32 %177, %125
  %179 = zext nneg i32 %178 to i64
  %180 = add nuw nsw i64 %175, %179
  call void %1(ptr noundef %2, i64 noundef %172, i64 noundef %180) #14
  %181 = add nuw nsw i32 %147, 1
  br label %146
182:                                              ; preds = %150
  %183 = add nuw nsw i32 %147, 1
  br label %228
184:                                              ; preds = %117
  %185 = getelementptr inbounds nuw i8, ptr %60, i64 328
  %186 = shl i64 %63, 16
  %187 = or disjoint i64 %186, 1
  %188 = add nsw i32 %125, -1
  br label %189
189:                                              ; preds = %210, %184
  %190 = phi i32 [ 0, %184 ], [ %227, %210 ]
  %191 = load ptr, ptr %185, align 8
  %192 = getelementptr inbounds nuw i8, ptr %191, i64 192
  %193 = load atomic i64, ptr %192 acquire, align 64
  br label %194
194:                                              ; preds = %204, %189
  %195 = phi i64 [ %193, %189 ], [ %209, %204 ]
  %196 = lshr i64 %195, 16
  %197 = icmp eq i64 %196, %63
  %198 = trunc i64 %195 to i32
  %199 = and i32 %198, 65535
  %200 = select i1 %197, i32 %199, i32 0
  %201 = icmp ule i64 %196, %63
  %202 = icmp samesign ult i32 %200, %124
  %203 = select i1 %201, i1 %202, i1 false
  br i1 %203, label %204, label %228
204:                                              ; preds = %194
  %205 = zext nneg i32 %200 to i64
  %206 = add nuw i64 %187, %205
  %207 = cmpxchg weak ptr %192, i64 %195, i64 %206 seq_cst seq_cst, align 64
  %208 = extractvalue { i64, i1 } %207, 1
  %209 = extractvalue { i64, i1 } %207, 0
  br i1 %208, label %210, label %194
210:                                              ; preds = %204
  %211 = add nuw nsw i32 %200, %124
  %212 = zext nneg i32 %211 to i64
  %213 = mul nuw nsw i64 %127, %212
  %214 = mul nuw nsw i32 %211, %129
  %215 = add nuw nsw i32 %214, %188
  %216 = udiv i32 %215, %125
  %217 = zext nneg i32 %216 to i64
  %218 = add nuw nsw i64 %213, %217
  %219 = add nuw nsw i32 %211, 1
  %220 = zext nneg i32 %219 to i64
  %221 = mul nuw nsw i64 %127, %220
  %222 = mul nuw nsw i32 %219, %129
  %223 = add nuw nsw i32 %222, %188
  %224 = udiv i32 %223, %125
  %225 = zext nneg i32 %224 to i64
  %226 = add nuw nsw i64 %221, %225
  call void %1(ptr noundef %2, i64 noundef %218, i64 noundef %226) #14
  %227 = add nuw nsw i32 %190, 1
  br label %189
228:                                              ; preds = %194, %182, %130
  %229 = phi i32 [ 1, %130 ], [ %183, %182 ], [ %190, %194 ]
  %230 = shl i64 %63, 1
  %231 = load ptr, ptr %22, align 8
  %232 = getelementptr inbounds nuw i8, ptr %231, i64 328
  %233 = load ptr, ptr %232, align 8
  %234 = load i32, ptr %64, align 8
  %235 = sext i32 %234 to i64
  %236 = getelementptr inbounds %struct.share, ptr %233, i64 %235
  %237 = getelementptr inbounds nuw i8, ptr %236, i64 128
  store atomic i64 %230, ptr %237 release, align 64
  %238 = load i32, ptr %64, align 8
  %239 = icmp eq i32 %238, 0
  br i1 %239, label %240, label %250
240:                                              ; preds = %228
  %241 = getelementptr inbounds nuw i8, ptr %60, i64 328
  %242 = load ptr, ptr %241, align 8
  %243 = getelementptr inbounds nuw i8, ptr %242, i64 320
  %244 = load atomic i64, ptr %243 monotonic, align 64
  %245 = getelementptr inbounds nuw i8, ptr %22, i64 16
  %246 = load i64, ptr %245, align 8
  %247 = shl i64 %246, 1
  %248 = icmp ugt i64 %244, %247
  %249 = select i1 %248, i32 64, i32 8
  br label %250
250:                                              ; preds = %240, %228
  %251 = phi i32 [ %249, %240 ], [ 64, %228 ]
  br label %252
252:                                              ; preds = %250, %275
  %253 = phi i32 [ %276, %275 ], [ %251, %250 ]
  %254 = load ptr, ptr %22, align 8
  %255 = getelementptr inbounds nuw i8, ptr %254, i64 328
  %256 = load ptr, ptr %255, align 8
  %257 = load i32, ptr %64, align 8
  %258 = sub nsw i32 1, %257
  %259 = sext i32 %258 to i64
  %260 = getelementptr inbounds %struct.share, ptr %256, i64 %259
  %261 = getelementptr inbounds nuw i8, ptr %260, i64 128
  %262 = load atomic i64, ptr %261 acquire, align 64
  %263 = icmp ult i64 %262, %230
  br i1 %263, label %275, label %264
264:                                              ; preds = %275, %252
  %265 = load ptr, ptr %22, align 8
  %266 = getelementptr inbounds nuw i8, ptr %265, i64 328
  %267 = load ptr, ptr %266, align 8
  %268 = load i32, ptr %64, align 8
  %269 = sub nsw i32 1, %268
  %270 = sext i32 %269 to i64
  %271 = getelementptr inbounds %struct.share, ptr %267, i64 %270
  %272 = getelementptr inbounds nuw i8, ptr %271, i64 128
  %273 = load atomic i64, ptr %272 acquire, align 64
  %274 = icmp ult i64 %273, %230
  br i1 %274, label %278, label %349
275:                                              ; preds = %252
  call void @llvm.x86.sse2.pause()
  %276 = add nsw i32 %253, -1
  %277 = icmp sgt i32 %253, 1
  br i1 %277, label %252, label %264
278:                                              ; preds = %264
  %279 = load i32, ptr %64, align 8
  %280 = icmp eq i32 %279, 0
  %281 = icmp samesign ugt i64 %120, 3
  %282 = select i1 %280, i1 true, i1 %281
  br i1 %282, label %283, label %349
283:                                              ; preds = %278
  %284 = add i64 %230, -1
  %285 = load ptr, ptr %22, align 8
  %286 = getelementptr inbounds nuw i8, ptr %285, i64 328
  %287 = load ptr, ptr %286, align 8
  %288 = sext i32 %279 to i64
  %289 = getelementptr inbounds %struct.share, ptr %287, i64 %288
  %290 = getelementptr inbounds nuw i8, ptr %289, i64 128
  store atomic i64 %284, ptr %290 release, align 64
  %291 = load i32, ptr %64, align 8
  %292 = sub nsw i32 1, %291
  %293 = getelementptr inbounds nuw i8, ptr %60, i64 328
  %294 = sext i32 %292 to i64
  %295 = icmp eq i32 %291, 1
  %296 = zext i1 %295 to i32
  %297 = shl i64 %63, 16
  %298 = or disjoint i64 %297, 1
  %299 = mul nsw i32 %292, %124
  %300 = add nsw i32 %125, -1
  br label %301
301:                                              ; preds = %322, %283
  %302 = phi i32 [ 0, %283 ], [ %339, %322 ]
  %303 = load ptr, ptr %293, align 8
  %304 = getelementptr inbounds %struct.share, ptr %303, i64 %294
  %305 = load atomic i64, ptr %304 acquire, align 64
  br label %306
306:                                              ; preds = %316, %301
  %307 = phi i64 [ %305, %301 ], [ %321, %316 ]
  %308 = lshr i64 %307, 16
  %309 = icmp eq i64 %308, %63
  %310 = trunc i64 %307 to i32
  %311 = and i32 %310, 65535
  %312 = select i1 %309, i32 %311, i32 %296
  %313 = icmp ule i64 %308, %63
  %314 = icmp samesign ult i32 %312, %124
  %315 = select i1 %313, i1 %314, i1 false
  br i1 %315, label %316, label %340
316:                                              ; preds = %306
  %317 = zext nneg i32 %312 to i64
  %318 = add nuw i64 %298, %317
  %319 = cmpxchg weak ptr %304, i64 %307, i64 %318 seq_cst seq_cst, align 64
  %320 = extractvalue { i64, i1 } %319, 1
  %321 = extractvalue { i64, i1 } %319, 0
  br i1 %320, label %322, label %306
322:                                              ; preds = %316
  %323 = add nsw i32 %312, %299
  %324 = zext i32 %323 to i64
  %325 = mul nuw nsw i64 %127, %324
  %326 = mul i32 %323, %129
  %327 = add i32 %326, %300
  %328 = udiv i32 %327, %125
  %329 = zext nneg i32 %328 to i64
  %330 = add nuw nsw i64 %325, %329
  %331 = add i32 %323, 1
  %332 = zext i32 %331 to i64
  %333 = mul nuw nsw i64 %127, %332
  %334 = mul i32 %331, %129
  %335 = add i32 %334, %300
  %336 = udiv i32 %335, %125
  %337 = zext nneg i32 %336 to i64
  %338 = add nuw nsw i64 %333, %337
  call void %1(ptr noundef %2, i64 noundef %330, i64 noundef %338) #14
  %339 = add nuw nsw i32 %302, 1
  br label %301
340:                                              ; preds = %306
  %341 = add nsw i32 %302, %229
  %342 = load ptr, ptr %22, align 8
  %343 = getelementptr inbounds nuw i8, ptr %342, i64 328
  %344 = load ptr, ptr %343, align 8
  %345 = load i32, ptr %64, align 8
  %346 = sext i32 %345 to i64
  %347 = getelementptr inbounds %struct.share, ptr %344, i64 %346
  %348 = getelementptr inbounds nuw i8, ptr %347, i64 128
  store atomic i64 %230, ptr %348 release, align 64
  br label %349
349:                                              ; preds = %340, %278, %264
  %350 = phi i32 [ %229, %264 ], [ %341, %340 ], [ %229, %278 ]
  %351 = icmp slt i32 %350, %125
  br i1 %351, label %352, label %482
352:                                              ; preds = %349
  %353 = load ptr, ptr %22, align 8
  %354 = getelementptr inbounds nuw i8, ptr %353, i64 328
  %355 = load ptr, ptr %354, align 8
  %356 = load i32, ptr %64, align 8
  %357 = sub nsw i32 1, %356
  %358 = sext i32 %357 to i64
  %359 = getelementptr inbounds %struct.share, ptr %355, i64 %358
  %360 = getelementptr inbounds nuw i8, ptr %359, i64 128
  %361 = load atomic i64, ptr %360 acquire, align 64
  %362 = icmp ult i64 %361, %230
  br i1 %362, label %363, label %482
363:                                              ; preds = %352
  %364 = getelementptr inbounds nuw i8, ptr %8, i64 8
  br label %365
365:                                              ; preds = %384, %363
  %366 = phi i64 [ 0, %363 ], [ %385, %384 ]
  %367 = phi i32 [ 0, %363 ], [ %368, %384 ]
  call void @llvm.x86.sse2.pause()
  %368 = add i32 %367, 1
  %369 = and i32 %368, 63
  %370 = icmp eq i32 %369, 0
  br i1 %370, label %371, label %384
371:                                              ; preds = %365
  %372 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #14
  %373 = load i64, ptr %8, align 8
  %374 = mul nsw i64 %373, 1000000000
  %375 = load i64, ptr %364, align 8
  %376 = add nsw i64 %374, %375
  %377 = icmp ne i32 %368, 64
  %378 = select i1 %377, i64 %366, i64 %376
  %379 = sub i64 %376, %366
  %380 = icmp sgt i64 %379, 50000
  %381 = select i1 %377, i1 %380, i1 false
  br i1 %381, label %382, label %384
382:                                              ; preds = %371
  %383 = call i32 @sched_yield() #14
  br label %384
384:                                              ; preds = %382, %371, %365
  %385 = phi i64 [ %378, %382 ], [ %378, %371 ], [ %366, %365 ]
  %386 = load ptr, ptr %22, align 8
  %387 = getelementptr inbounds nuw i8, ptr %386, i64 328
  %388 = load ptr, ptr %387, align 8
  %389 = load i32, ptr %64, align 8
  %390 = sub nsw i32 1, %389
  %391 = sext i32 %390 to i64
  %392 = getelementptr inbounds %struct.share, ptr %388, i64 %391
  %393 = getelementptr inbounds nuw i8, ptr %392, i64 128
  %394 = load atomic i64, ptr %393 acquire, align 64
  %395 = icmp ult i64 %394, %230
  br i1 %395, label %365, label %482
396:                                              ; preds = %15
  %397 = icmp eq ptr %0, null
  %398 = icmp samesign ult i64 %16, 2
  %399 = or i1 %397, %398
  br i1 %399, label %404, label %400
400:                                              ; preds = %396
  %401 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %402 = load i32, ptr %401, align 4
  %403 = icmp eq i32 %402, 1
  br i1 %403, label %404, label %405
404:                                              ; preds = %400, %396
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %482
405:                                              ; preds = %400
  %406 = tail call fastcc i32 @start(ptr noundef %0)
  %407 = icmp eq i32 %406, 0
  br i1 %407, label %412, label %408
408:                                              ; preds = %405
  %409 = getelementptr inbounds nuw i8, ptr %0, i64 512
  %410 = atomicrmw xchg ptr %409, i32 1 seq_cst, align 64
  %411 = icmp eq i32 %410, 0
  br i1 %411, label %413, label %412
412:                                              ; preds = %408, %405
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %482
413:                                              ; preds = %408
  %414 = getelementptr inbounds nuw i8, ptr %0, i64 564
  %415 = load i32, ptr %414, align 4
  %416 = add nsw i32 %415, -1
  store i32 %416, ptr %414, align 4
  %417 = icmp slt i32 %415, 2
  br i1 %417, label %418, label %419
418:                                              ; preds = %413
  tail call fastcc void @weigh(ptr noundef %0)
  br label %419
419:                                              ; preds = %418, %413
  %420 = icmp slt i64 %4, 0
  br i1 %420, label %421, label %427
421:                                              ; preds = %419
  %422 = sub nsw i64 0, %4
  %423 = udiv i64 9223372036854775807, %422
  %424 = icmp samesign ult i64 %3, %423
  %425 = mul nuw nsw i64 %3, %422
  %426 = select i1 %424, i64 %425, i64 9223372036854775807
  br label %431
427:                                              ; preds = %419
  %428 = icmp samesign ugt i64 %4, 1
  br i1 %428, label %429, label %431
429:                                              ; preds = %427
  %430 = udiv i64 %3, %4
  br label %431
431:                                              ; preds = %421, %427, %429
  %432 = phi i64 [ %426, %421 ], [ %430, %429 ], [ 9223372036854775807, %427 ]
  %433 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %434 = load i32, ptr %433, align 4
  %435 = icmp eq i32 %434, 3
  br i1 %435, label %436, label %439
436:                                              ; preds = %431
  %437 = getelementptr inbounds nuw i8, ptr %0, i64 600
  %438 = load i32, ptr %437, align 8
  br label %439
439:                                              ; preds = %436, %431
  %440 = phi i32 [ %438, %436 ], [ %434, %431 ]
  switch i32 %440, label %444 [
    i32 0, label %445
    i32 1, label %441
  ]
441:                                              ; preds = %439
  %442 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %443 = load i64, ptr %442, align 32
  br label %445
444:                                              ; preds = %439
  br label %445
445:                                              ; preds = %439, %441, %444
  %446 = phi i64 [ 2, %439 ], [ %443, %441 ], [ 9223372036854775807, %444 ]
  %447 = icmp slt i64 %432, %446
  %448 = icmp samesign ugt i64 %432, 1
  %449 = select i1 %447, i1 %448, i1 false
  %450 = zext i1 %449 to i64
  %451 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %452 = load i64, ptr %451, align 16
  %453 = add nsw i64 %452, %450
  store i64 %453, ptr %451, align 16
  %454 = icmp ne i32 %434, 3
  %455 = select i1 %454, i1 %448, i1 false
  %456 = icmp ne i64 %4, 1
  %457 = and i1 %456, %455
  br i1 %457, label %458, label %465
458:                                              ; preds = %445
  %459 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #14
  %460 = load i64, ptr %7, align 8
  %461 = mul nsw i64 %460, 1000000000
  %462 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %463 = load i64, ptr %462, align 8
  %464 = add nsw i64 %461, %463
  br label %465
465:                                              ; preds = %445, %458
  %466 = phi i64 [ %464, %458 ], [ 0, %445 ]
  br i1 %447, label %468, label %467
467:                                              ; preds = %465
  call fastcc void @do_together(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %16, i64 noundef %432)
  br label %469
468:                                              ; preds = %465
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %469
469:                                              ; preds = %468, %467
  %470 = icmp eq i64 %466, 0
  br i1 %470, label %481, label %471
471:                                              ; preds = %469
  %472 = load i32, ptr %433, align 4
  %473 = icmp eq i32 %472, 3
  br i1 %473, label %481, label %474
474:                                              ; preds = %471
  %475 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %476 = load i64, ptr %6, align 8
  %477 = mul nsw i64 %476, 1000000000
  %478 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %479 = load i64, ptr %478, align 8
  %480 = add nsw i64 %477, %479
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i32 noundef 1, i64 noundef %466, i64 noundef %480)
  br label %481
481:                                              ; preds = %474, %471, %469
  store atomic i32 0, ptr %409 release, align 64
  br label %482
482:                                              ; preds = %384, %352, %349, %49, %41, %404, %412, %481, %5
  ret void
}
define internal fastcc range(i32 0, 2) i32 @start(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %union.pthread_attr_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %struct.__sigset_t, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %6 = load ptr, ptr %5, align 16
  %7 = icmp eq ptr %6, null
  br i1 %7, label %11, label %8
8:                                                ; preds = %1
  %9 = load atomic i32, ptr %6 acquire, align 4
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %11, label %82
11:                                               ; preds = %8, %1
  %12 = tail call i32 @getpid() #14
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %14 = load atomic i32, ptr %13 seq_cst, align 8
  %15 = icmp eq i32 %14, %12
  br i1 %15, label %82, label %16
16:                                               ; preds = %11
  %17 = icmp eq i32 %14, -1
  br i1 %17, label %82, label %18
18:                                               ; preds = %16
  %19 = cmpxchg ptr %13, i32 %14, i32 -1 seq_cst seq_cst, align 8
  %20 = extractvalue { i32, i1 } %19, 1
  br i1 %20, label %21, label %82
21:                                               ; preds = %18
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %23 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %22, ptr noundef null) #14
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %25 = tail call i32 @pthread_cond_init(ptr noundef nonnull %24, ptr noundef null) #14
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 448
  %27 = tail call i32 @pthread_cond_init(ptr noundef nonnull %26, ptr noundef null) #14
  store atomic i64 0, ptr %0 seq_cst, align 64
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store atomic i32 0, ptr %28 seq_cst, align 64
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 324
  store atomic i32 0, ptr %29 seq_cst, align 4
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 512
  store atomic i32 0, ptr %30 seq_cst, align 64
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 0, ptr %31, align 32
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 528
  store i64 0, ptr %32, align 16
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %34 = load i64, ptr %33, align 8
  %35 = add i64 %34, 16777216
  store i64 %35, ptr %33, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 544
  store i64 2, ptr %36, align 32
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 568
  store i32 0, ptr %37, align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store <4 x i32> <i32 0, i32 4, i32 64, i32 64>, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 592
  store i64 0, ptr %39, align 16
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 584
  store i32 0, ptr %40, align 8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 600
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %41, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %42, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 620
  store i32 1, ptr %43, align 4
  %44 = call i32 @pthread_attr_init(ptr noundef nonnull %2) #14
  %45 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %2, i64 noundef 4194304) #14
  %46 = call i32 @sigfillset(ptr noundef nonnull %3) #14
  %47 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #14
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %50 = load i32, ptr %49, align 4
  %51 = icmp sgt i32 %50, 1
  br i1 %51, label %52, label %75
52:                                               ; preds = %21
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 496
  br label %54
54:                                               ; preds = %52, %68
  %55 = phi i64 [ 1, %52 ], [ %71, %68 ]
  %56 = load ptr, ptr %48, align 8
  %57 = getelementptr inbounds nuw %struct.share, ptr %56, i64 %55
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 80
  store ptr %0, ptr %58, align 16
  %59 = getelementptr inbounds nuw i8, ptr %57, i64 72
  %60 = trunc nuw nsw i64 %55 to i32
  store i32 %60, ptr %59, align 8
  %61 = getelementptr inbounds nuw i8, ptr %57, i64 64
  store atomic i64 0, ptr %61 seq_cst, align 64
  %62 = load ptr, ptr %53, align 16
  %63 = load i32, ptr %31, align 32
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds i64, ptr %62, i64 %64
  %66 = call i32 @pthread_create(ptr noundef %65, ptr noundef nonnull %2, ptr noundef nonnull @work, ptr noundef nonnull %57) #14
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %68, label %75
68:                                               ; preds = %54
  %69 = load i32, ptr %31, align 32
  %70 = add nsw i32 %69, 1
  store i32 %70, ptr %31, align 32
  %71 = add nuw nsw i64 %55, 1
  %72 = load i32, ptr %49, align 4
  %73 = sext i32 %72 to i64
  %74 = icmp slt i64 %71, %73
  br i1 %74, label %54, label %75
75:                                               ; preds = %68, %54, %21
  %76 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #14
  %77 = call i32 @pthread_attr_destroy(ptr noundef nonnull %2) #14
  store atomic i32 %12, ptr %13 seq_cst, align 8
  %78 = load ptr, ptr %5, align 16
  %79 = icmp eq ptr %78, null
  br i1 %79, label %81, label %80
80:                                               ; preds = %75
  store atomic i32 1, ptr %78 release, align 4
  br label %81
81:                                               ; preds = %80, %75
  br label %82
82:                                               ; preds = %81, %11, %18, %16, %8
  %83 = phi i32 [ 1, %8 ], [ 1, %81 ], [ 1, %11 ], [ 0, %18 ], [ 0, %16 ]
  ret i32 %83
}
define internal fastcc void @weigh(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 568
  %8 = load i32, ptr %7, align 8
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %23, label %10
10:                                               ; preds = %1
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %12 = load i64, ptr %6, align 8
  %13 = mul nsw i64 %12, 1000000000
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = add nsw i64 %13, %15
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 576
  %18 = load i64, ptr %17, align 64
  %19 = sub i64 %16, %18
  %20 = icmp slt i64 %19, 60000
  br i1 %20, label %21, label %23
21:                                               ; preds = %10
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 1, ptr %22, align 4
  br label %257
23:                                               ; preds = %10, %1
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %25 = load atomic i32, ptr %24 seq_cst, align 64
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %27 = load i32, ptr %26, align 32
  %28 = icmp eq i32 %25, %27
  br i1 %28, label %29, label %59
29:                                               ; preds = %23
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %31 = load i64, ptr %30, align 16
  %32 = icmp sgt i64 %31, 0
  br i1 %32, label %33, label %37
33:                                               ; preds = %29
  %34 = load i32, ptr %7, align 8
  %35 = icmp eq i32 %34, 0
  %36 = zext i1 %35 to i32
  store i32 %36, ptr %7, align 8
  br i1 %35, label %42, label %38
37:                                               ; preds = %29
  store i32 0, ptr %7, align 8
  br label %38
38:                                               ; preds = %33, %37
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 560
  %40 = load i32, ptr %39, align 16
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 %40, ptr %41, align 4
  br label %257
42:                                               ; preds = %33
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 1, ptr %43, align 4
  %44 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #14
  %45 = load i64, ptr %5, align 8
  %46 = mul nsw i64 %45, 1000000000
  %47 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %48 = load i64, ptr %47, align 8
  %49 = add nsw i64 %46, %48
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 576
  store i64 %49, ptr %50, align 64
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #14
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %54 = load i32, ptr %53, align 4
  %55 = add i32 %54, 1
  store i32 %55, ptr %53, align 4
  %56 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #14
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %58 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %57) #14
  br label %257
59:                                               ; preds = %23
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %61 = load i64, ptr %60, align 32
  %62 = icmp slt i64 %61, 3
  %63 = select i1 %62, i64 600, i64 300
  %64 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %65 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %66 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %72 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %76 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %80 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %83
81:                                               ; preds = %178
  %82 = icmp eq i64 %191, 9223372036854775807
  br i1 %82, label %196, label %197
83:                                               ; preds = %59, %178
  %84 = phi i64 [ 9223372036854775807, %59 ], [ %191, %178 ]
  %85 = phi i32 [ 0, %59 ], [ %192, %178 ]
  %86 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #14
  %87 = load i64, ptr %4, align 8
  %88 = load i64, ptr %64, align 8
  %89 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #14
  %90 = load i64, ptr %3, align 8
  %91 = load i64, ptr %65, align 8
  %92 = load i64, ptr %66, align 8
  %93 = add i64 %92, 1
  store i64 %93, ptr %66, align 8
  store atomic i64 0, ptr %0 monotonic, align 64
  store atomic i64 ptrtoint (ptr @do_nothing to i64), ptr %67 release, align 8
  store atomic i64 0, ptr %68 release, align 16
  store atomic i64 1, ptr %69 release, align 8
  store atomic i32 0, ptr %70 release, align 32
  store atomic i32 2, ptr %71 release, align 4
  store atomic i32 2, ptr %72 release, align 8
  store atomic i32 1, ptr %73 release, align 4
  store atomic i64 %93, ptr %0 release, align 64
  %94 = load i64, ptr %74, align 8
  %95 = icmp sgt i64 %94, 63
  br i1 %95, label %96, label %105
96:                                               ; preds = %83
  fence seq_cst
  %97 = load atomic i32, ptr %24 seq_cst, align 64
  %98 = icmp sgt i32 %97, 0
  br i1 %98, label %99, label %105
99:                                               ; preds = %96
  store i64 0, ptr %74, align 8
  %100 = call i32 @pthread_mutex_lock(ptr noundef nonnull %75) #14
  %101 = load i32, ptr %76, align 4
  %102 = add i32 %101, 1
  store i32 %102, ptr %76, align 4
  %103 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %75) #14
  %104 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %77) #14
  br label %105
105:                                              ; preds = %99, %96, %83
  %106 = load i64, ptr %78, align 16
  %107 = add nsw i64 %106, 1
  store i64 %107, ptr %78, align 16
  %108 = load i32, ptr %26, align 32
  %109 = icmp slt i32 %108, 1
  br i1 %109, label %124, label %110
110:                                              ; preds = %105, %110
  %111 = phi i64 [ %118, %110 ], [ 1, %105 ]
  %112 = phi i64 [ %117, %110 ], [ 0, %105 ]
  %113 = load ptr, ptr %79, align 8
  %114 = getelementptr inbounds nuw %struct.share, ptr %113, i64 %111
  %115 = getelementptr inbounds nuw i8, ptr %114, i64 64
  %116 = load atomic i64, ptr %115 seq_cst, align 64
  %117 = add nsw i64 %116, %112
  %118 = add nuw nsw i64 %111, 1
  %119 = load i32, ptr %26, align 32
  %120 = sext i32 %119 to i64
  %121 = icmp slt i64 %111, %120
  br i1 %121, label %110, label %122
122:                                              ; preds = %110
  %123 = load i64, ptr %78, align 16
  br label %124
124:                                              ; preds = %122, %105
  %125 = phi i64 [ %107, %105 ], [ %123, %122 ]
  %126 = phi i64 [ 0, %105 ], [ %117, %122 ]
  %127 = icmp eq i64 %126, %125
  br i1 %127, label %128, label %155
128:                                              ; preds = %171, %124
  %129 = phi i1 [ true, %124 ], [ %174, %171 ]
  %130 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #14
  %131 = load i64, ptr %2, align 8
  %132 = load i64, ptr %80, align 8
  %133 = shl i64 %93, 16
  %134 = or disjoint i64 %133, 1
  br label %135
135:                                              ; preds = %153, %128
  %136 = phi i32 [ 0, %128 ], [ %154, %153 ]
  %137 = load ptr, ptr %79, align 8
  %138 = getelementptr inbounds nuw i8, ptr %137, i64 192
  %139 = load atomic i64, ptr %138 acquire, align 64
  br label %140
140:                                              ; preds = %149, %135
  %141 = phi i64 [ %139, %135 ], [ %152, %149 ]
  %142 = lshr i64 %141, 16
  %143 = icmp ne i64 %142, %93
  %144 = icmp ule i64 %142, %93
  %145 = and i64 %141, 65535
  %146 = icmp eq i64 %145, 0
  %147 = or i1 %143, %146
  %148 = and i1 %144, %147
  br i1 %148, label %149, label %178
149:                                              ; preds = %140
  %150 = cmpxchg weak ptr %138, i64 %141, i64 %134 seq_cst seq_cst, align 64
  %151 = extractvalue { i64, i1 } %150, 1
  %152 = extractvalue { i64, i1 } %150, 0
  br i1 %151, label %153, label %140
153:                                              ; preds = %149
  %154 = add nuw nsw i32 %136, 1
  br label %135
155:                                              ; preds = %124, %171
  %156 = phi i32 [ %175, %171 ], [ 0, %124 ]
  call void @llvm.x86.sse2.pause()
  %157 = load i32, ptr %26, align 32
  %158 = icmp slt i32 %157, 1
  br i1 %158, label %171, label %159
159:                                              ; preds = %155, %159
  %160 = phi i64 [ %167, %159 ], [ 1, %155 ]
  %161 = phi i64 [ %166, %159 ], [ 0, %155 ]
  %162 = load ptr, ptr %79, align 8
  %163 = getelementptr inbounds nuw %struct.share, ptr %162, i64 %160
  %164 = getelementptr inbounds nuw i8, ptr %163, i64 64
  %165 = load atomic i64, ptr %164 seq_cst, align 64
  %166 = add nsw i64 %165, %161
  %167 = add nuw nsw i64 %160, 1
  %168 = load i32, ptr %26, align 32
  %169 = sext i32 %168 to i64
  %170 = icmp slt i64 %160, %169
  br i1 %170, label %159, label %171
171:                                              ; preds = %159, %155
  %172 = phi i64 [ 0, %155 ], [ %166, %159 ]
  %173 = load i64, ptr %78, align 16
  %174 = icmp eq i64 %172, %173
  %175 = add nuw nsw i32 %156, 1
  %176 = icmp samesign ugt i32 %156, 126
  %177 = select i1 %176, i1 true, i1 %174
  br i1 %177, label %128, label %155
178:                                              ; preds = %140
  %179 = zext nneg i32 %136 to i64
  %180 = mul i64 %90, 9223372035854775808
  %181 = sub i64 %180, %91
  %182 = load i64, ptr %78, align 16
  %183 = sub nsw i64 %182, %179
  store i64 %183, ptr %78, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %184 = shl i64 %181, 1
  %185 = add i64 %131, %87
  %186 = mul i64 %185, 1000000000
  %187 = add i64 %184, %88
  %188 = add i64 %187, %132
  %189 = add i64 %188, %186
  %190 = select i1 %129, i64 %189, i64 9223372036854775807
  %191 = call i64 @llvm.smin.i64(i64 %190, i64 %84)
  %192 = add nuw nsw i32 %85, 1
  %193 = icmp samesign ult i32 %85, 3
  %194 = icmp sgt i64 %191, %63
  %195 = select i1 %193, i1 %194, i1 false
  br i1 %195, label %83, label %81
196:                                              ; preds = %81
  call fastcc void @send_away(ptr noundef %0)
  br label %197
197:                                              ; preds = %196, %81
  %198 = load i64, ptr %60, align 32
  %199 = icmp slt i64 %198, 3
  %200 = select i1 %199, i64 600, i64 300
  %201 = icmp sgt i64 %191, %200
  %202 = getelementptr inbounds nuw i8, ptr %0, i64 584
  br i1 %201, label %205, label %203
203:                                              ; preds = %197
  store i32 0, ptr %202, align 8
  %204 = getelementptr inbounds nuw i8, ptr %0, i64 560
  store i32 1024, ptr %204, align 16
  br i1 %199, label %238, label %225
205:                                              ; preds = %197
  %206 = load i32, ptr %202, align 8
  %207 = add nsw i32 %206, 1
  store i32 %207, ptr %202, align 8
  %208 = icmp ne i64 %191, 9223372036854775807
  %209 = and i1 %208, %199
  %210 = select i1 %209, i32 2, i32 1
  %211 = icmp slt i32 %207, %210
  %212 = icmp eq i32 %207, 0
  %213 = getelementptr inbounds nuw i8, ptr %0, i64 560
  br i1 %212, label %223, label %214
214:                                              ; preds = %205
  br i1 %199, label %215, label %216
215:                                              ; preds = %214
  store i32 64, ptr %213, align 16
  br i1 %211, label %238, label %225
216:                                              ; preds = %214
  %217 = load i32, ptr %213, align 16
  %218 = icmp slt i32 %217, 1024
  br i1 %218, label %219, label %221
219:                                              ; preds = %216
  %220 = shl nsw i32 %217, 1
  store i32 %220, ptr %213, align 16
  br label %221
221:                                              ; preds = %219, %216
  %222 = phi i32 [ %220, %219 ], [ %217, %216 ]
  br i1 %211, label %225, label %232
223:                                              ; preds = %205
  store i32 1024, ptr %213, align 16
  %224 = xor i1 %199, %211
  br i1 %224, label %225, label %231
225:                                              ; preds = %223, %221, %215, %203
  %226 = phi i32 [ %222, %221 ], [ 1024, %223 ], [ 64, %215 ], [ 1024, %203 ]
  %227 = phi i1 [ true, %221 ], [ %211, %223 ], [ false, %215 ], [ true, %203 ]
  %228 = getelementptr inbounds nuw i8, ptr %0, i64 600
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %228, align 8
  %229 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %229, align 8
  %230 = getelementptr inbounds nuw i8, ptr %0, i64 620
  store i32 1, ptr %230, align 4
  store i64 2, ptr %60, align 32
  br i1 %227, label %241, label %232
231:                                              ; preds = %223
  store i64 2, ptr %60, align 32
  br i1 %211, label %241, label %232
232:                                              ; preds = %231, %225, %221
  %233 = phi i32 [ 1024, %231 ], [ %226, %225 ], [ %222, %221 ]
  %234 = icmp slt i64 %191, 895
  br i1 %234, label %235, label %238
235:                                              ; preds = %232
  %236 = mul nsw i64 %191, 24
  %237 = sdiv i64 %236, 500
  br label %238
238:                                              ; preds = %235, %232, %215, %203
  %239 = phi i32 [ %233, %232 ], [ 1024, %203 ], [ %233, %235 ], [ 64, %215 ]
  %240 = phi i64 [ 43, %232 ], [ 2, %203 ], [ %237, %235 ], [ 2, %215 ]
  store i64 %240, ptr %60, align 32
  br label %241
241:                                              ; preds = %225, %231, %238
  %242 = phi i32 [ %226, %225 ], [ 1024, %231 ], [ %239, %238 ]
  %243 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %244 = load i32, ptr %243, align 4
  %245 = icmp eq i32 %244, 3
  br i1 %245, label %246, label %254
246:                                              ; preds = %241
  %247 = getelementptr inbounds nuw i8, ptr %0, i64 620
  %248 = load i32, ptr %247, align 4
  %249 = add nsw i32 %248, -1
  store i32 %249, ptr %247, align 4
  %250 = icmp slt i32 %248, 2
  br i1 %250, label %251, label %254
251:                                              ; preds = %246
  %252 = getelementptr inbounds nuw i8, ptr %0, i64 640
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(4096) %252, i8 0, i64 4096, i1 false)
  store i32 0, ptr %243, align 4
  %253 = getelementptr inbounds nuw i8, ptr %0, i64 624
  store i32 0, ptr %253, align 16
  br label %254
254:                                              ; preds = %251, %246, %241
  %255 = getelementptr inbounds nuw i8, ptr %0, i64 592
  store i64 0, ptr %255, align 16
  %256 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 %242, ptr %256, align 4
  store i32 0, ptr %7, align 8
  br label %257
257:                                              ; preds = %38, %42, %254, %21
  ret void
}
define internal fastcc void @do_together(ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i64 noundef range(i64 1, -9223372036854775808) %3, i64 noundef %4, i64 noundef range(i64 2, -9223372036854775808) %5, i64 noundef range(i64 0, -9223372036854775808) %6) unnamed_addr #0 {
  %8 = alloca %struct.timespec, align 8
  %9 = alloca %struct.timespec, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %13 = load i32, ptr %12, align 32
  %14 = add nsw i32 %13, 1
  %15 = sext i32 %14 to i64
  %16 = tail call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %5, i64 %15)
  %17 = trunc nsw i64 %16 to i32
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %19 = load atomic i32, ptr %18 seq_cst, align 64
  %20 = sub nsw i32 %14, %19
  %21 = icmp slt i32 %20, %17
  br i1 %21, label %23, label %22
22:                                               ; preds = %7
  store i64 0, ptr %10, align 8
  br label %38
23:                                               ; preds = %7
  %24 = icmp slt i64 %4, 0
  %25 = select i1 %24, i64 %6, i64 %5
  %26 = sext i32 %20 to i64
  %27 = sdiv i64 %25, %26
  %28 = sdiv i64 %25, %16
  %29 = sub nsw i64 %27, %28
  %30 = icmp slt i64 %29, 64
  br i1 %30, label %32, label %31
31:                                               ; preds = %23
  store i64 64, ptr %10, align 8
  br label %38
32:                                               ; preds = %23
  %33 = load i64, ptr %10, align 8
  %34 = add nsw i64 %33, %29
  %35 = freeze i64 %34
  store i64 %35, ptr %10, align 8
  %36 = icmp slt i64 %35, 64
  %37 = select i1 %36, i32 %20, i32 %17
  br label %38
38:                                               ; preds = %22, %31, %32
  %39 = phi i64 [ 0, %22 ], [ 64, %31 ], [ %35, %32 ]
  %40 = phi i32 [ %17, %22 ], [ %17, %31 ], [ %37, %32 ]
  %41 = icmp ult i64 %4, 2
  br i1 %41, label %42, label %53
42:                                               ; preds = %38
  %43 = icmp sgt i64 %39, %11
  %44 = icmp slt i64 %39, 64
  %45 = and i1 %43, %44
  br i1 %45, label %46, label %53
46:                                               ; preds = %42
  %47 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #14
  %48 = load i64, ptr %9, align 8
  %49 = mul nsw i64 %48, 1000000000
  %50 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %51 = load i64, ptr %50, align 8
  %52 = add nsw i64 %49, %51
  br label %53
53:                                               ; preds = %38, %42, %46
  %54 = phi i64 [ %52, %46 ], [ 0, %38 ], [ 0, %42 ]
  %55 = icmp eq i32 %40, 1
  br i1 %55, label %56, label %57
56:                                               ; preds = %53
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %418
57:                                               ; preds = %53
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %59 = load i64, ptr %58, align 8
  %60 = add i64 %59, 1
  store i64 %60, ptr %58, align 8
  %61 = lshr i64 %6, 2
  %62 = call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %5, i64 %61)
  %63 = sext i32 %40 to i64
  %64 = sdiv i64 %62, %63
  %65 = call i64 @llvm.smax.i64(i64 %64, i64 1)
  %66 = call i64 @llvm.umin.i64(i64 %65, i64 8)
  %67 = trunc nuw nsw i64 %66 to i32
  %68 = mul nsw i32 %40, %67
  %69 = sext i32 %68 to i64
  %70 = sdiv i64 %3, %69
  %71 = srem i64 %3, %69
  %72 = trunc nuw nsw i64 %71 to i32
  store atomic i64 0, ptr %0 monotonic, align 64
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %74 = ptrtoint ptr %1 to i64
  store atomic i64 %74, ptr %73 release, align 8
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %76 = ptrtoint ptr %2 to i64
  store atomic i64 %76, ptr %75 release, align 16
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %70, ptr %77 release, align 8
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %72, ptr %78 release, align 32
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %68, ptr %79 release, align 4
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 %40, ptr %80 release, align 8
  %81 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %67, ptr %81 release, align 4
  store atomic i64 %60, ptr %0 release, align 64
  %82 = load i64, ptr %10, align 8
  %83 = icmp sgt i64 %82, 63
  br i1 %83, label %84, label %96
84:                                               ; preds = %57
  fence seq_cst
  %85 = load atomic i32, ptr %18 seq_cst, align 64
  %86 = icmp sgt i32 %85, 0
  br i1 %86, label %87, label %96
87:                                               ; preds = %84
  store i64 0, ptr %10, align 8
  %88 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %89 = call i32 @pthread_mutex_lock(ptr noundef nonnull %88) #14
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %91 = load i32, ptr %90, align 4
  %92 = add i32 %91, 1
  store i32 %92, ptr %90, align 4
  %93 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %88) #14
  %94 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %95 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %94) #14
  br label %96
96:                                               ; preds = %57, %84, %87
  %97 = add i32 %68, -1
  %98 = udiv i32 %97, %68
  %99 = zext i32 %98 to i64
  %100 = add i32 %97, %72
  %101 = udiv i32 %100, %68
  %102 = zext i32 %101 to i64
  %103 = add nsw i64 %70, %102
  call void %1(ptr noundef %2, i64 noundef %99, i64 noundef %103) #14
  %104 = icmp slt i64 %64, 2
  br i1 %104, label %147, label %105
105:                                              ; preds = %96
  %106 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %107 = shl i64 %60, 16
  %108 = or disjoint i64 %107, 1
  br label %109
109:                                              ; preds = %129, %105
  %110 = phi i32 [ 0, %105 ], [ %144, %129 ]
  %111 = load ptr, ptr %106, align 8
  %112 = load atomic i64, ptr %111 acquire, align 64
  br label %113
113:                                              ; preds = %123, %109
  %114 = phi i64 [ %112, %109 ], [ %128, %123 ]
  %115 = lshr i64 %114, 16
  %116 = icmp eq i64 %115, %60
  %117 = trunc i64 %114 to i32
  %118 = and i32 %117, 65535
  %119 = select i1 %116, i32 %118, i32 1
  %120 = icmp ule i64 %115, %60
  %121 = icmp samesign ult i32 %119, %67
  %122 = select i1 %120, i1 %121, i1 false
  br i1 %122, label %123, label %145
123:                                              ; preds = %113
  %124 = zext nneg i32 %119 to i64
  %125 = add nuw i64 %108, %124
  %126 = cmpxchg weak ptr %111, i64 %114, i64 %125 seq_cst seq_cst, align 64
  %127 = extractvalue { i64, i1 } %126, 1
  %128 = extractvalue { i64, i1 } %126, 0
  br i1 %127, label %129, label %113
129:                                              ; preds = %123
  %130 = mul nsw i64 %70, %124
  %131 = mul i32 %119, %72
  %132 = add i32 %131, %97
  %133 = udiv i32 %132, %68
  %134 = zext i32 %133 to i64
  %135 = add nsw i64 %130, %134
  %136 = add nuw nsw i32 %119, 1
  %137 = zext nneg i32 %136 to i64
  %138 = mul nsw i64 %70, %137
  %139 = mul i32 %136, %72
  %140 = add i32 %139, %97
  %141 = udiv i32 %140, %68
  %142 = zext i32 %141 to i64
  %143 = add nsw i64 %138, %142
  call void %1(ptr noundef %2, i64 noundef %135, i64 noundef %143) #14
  %144 = add nuw nsw i32 %110, 1
  br label %109
145:                                              ; preds = %113
  %146 = add nuw nsw i32 %110, 1
  br label %147
147:                                              ; preds = %145, %96
  %148 = phi i32 [ %146, %145 ], [ 1, %96 ]
  %149 = zext i32 %68 to i64
  %150 = sext i32 %148 to i64
  %151 = sub nsw i64 %149, %150
  %152 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %153 = load i64, ptr %152, align 16
  %154 = add nsw i64 %151, %153
  store i64 %154, ptr %152, align 16
  %155 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %156 = load i32, ptr %12, align 32
  %157 = icmp slt i32 %156, 1
  br i1 %157, label %172, label %158
158:                                              ; preds = %147, %158
  %159 = phi i64 [ %166, %158 ], [ 1, %147 ]
  %160 = phi i64 [ %165, %158 ], [ 0, %147 ]
  %161 = load ptr, ptr %155, align 8
  %162 = getelementptr inbounds nuw %struct.share, ptr %161, i64 %159
  %163 = getelementptr inbounds nuw i8, ptr %162, i64 64
  %164 = load atomic i64, ptr %163 seq_cst, align 64
  %165 = add nsw i64 %164, %160
  %166 = add nuw nsw i64 %159, 1
  %167 = load i32, ptr %12, align 32
  %168 = sext i32 %167 to i64
  %169 = icmp slt i64 %159, %168
  br i1 %169, label %158, label %170
170:                                              ; preds = %158
  %171 = load i64, ptr %152, align 16
  br label %172
172:                                              ; preds = %170, %147
  %173 = phi i32 [ %156, %147 ], [ %167, %170 ]
  %174 = phi i64 [ %154, %147 ], [ %171, %170 ]
  %175 = phi i64 [ 0, %147 ], [ %165, %170 ]
  %176 = icmp eq i64 %175, %174
  br i1 %176, label %177, label %196
177:                                              ; preds = %336, %331, %311, %291, %271, %251, %231, %211, %172
  %178 = phi i32 [ %337, %336 ], [ %332, %331 ], [ %312, %311 ], [ %292, %291 ], [ %272, %271 ], [ %252, %251 ], [ %232, %231 ], [ %212, %211 ], [ %173, %172 ]
  %179 = icmp slt i32 %178, 1
  br i1 %179, label %192, label %180
180:                                              ; preds = %177, %180
  %181 = phi i64 [ %188, %180 ], [ 1, %177 ]
  %182 = phi i64 [ %187, %180 ], [ 0, %177 ]
  %183 = load ptr, ptr %155, align 8
  %184 = getelementptr inbounds nuw %struct.share, ptr %183, i64 %181
  %185 = getelementptr inbounds nuw i8, ptr %184, i64 64
  %186 = load atomic i64, ptr %185 seq_cst, align 64
  %187 = add nsw i64 %186, %182
  %188 = add nuw nsw i64 %181, 1
  %189 = load i32, ptr %12, align 32
  %190 = sext i32 %189 to i64
  %191 = icmp slt i64 %181, %190
  br i1 %191, label %180, label %192
192:                                              ; preds = %180, %177
  %193 = phi i64 [ 0, %177 ], [ %187, %180 ]
  %194 = load i64, ptr %152, align 16
  %195 = icmp eq i64 %193, %194
  br i1 %195, label %394, label %338
196:                                              ; preds = %172
  call void @llvm.x86.sse2.pause()
  %197 = load i32, ptr %12, align 32
  %198 = icmp slt i32 %197, 1
  br i1 %198, label %211, label %199
199:                                              ; preds = %196, %199
  %200 = phi i64 [ %207, %199 ], [ 1, %196 ]
  %201 = phi i64 [ %206, %199 ], [ 0, %196 ]
  %202 = load ptr, ptr %155, align 8
  %203 = getelementptr inbounds nuw %struct.share, ptr %202, i64 %200
  %204 = getelementptr inbounds nuw i8, ptr %203, i64 64
  %205 = load atomic i64, ptr %204 seq_cst, align 64
  %206 = add nsw i64 %205, %201
  %207 = add nuw nsw i64 %200, 1
  %208 = load i32, ptr %12, align 32
  %209 = sext i32 %208 to i64
  %210 = icmp slt i64 %200, %209
  br i1 %210, label %199, label %211
211:                                              ; preds = %199, %196
  %212 = phi i32 [ %197, %196 ], [ %208, %199 ]
  %213 = phi i64 [ 0, %196 ], [ %206, %199 ]
  %214 = load i64, ptr %152, align 16
  %215 = icmp eq i64 %213, %214
  br i1 %215, label %177, label %216
216:                                              ; preds = %211
  call void @llvm.x86.sse2.pause()
  %217 = load i32, ptr %12, align 32
  %218 = icmp slt i32 %217, 1
  br i1 %218, label %231, label %219
219:                                              ; preds = %216, %219
  %220 = phi i64 [ %227, %219 ], [ 1, %216 ]
  %221 = phi i64 [ %226, %219 ], [ 0, %216 ]
  %222 = load ptr, ptr %155, align 8
  %223 = getelementptr inbounds nuw %struct.share, ptr %222, i64 %220
  %224 = getelementptr inbounds nuw i8, ptr %223, i64 64
  %225 = load atomic i64, ptr %224 seq_cst, align 64
  %226 = add nsw i64 %225, %221
  %227 = add nuw nsw i64 %220, 1
  %228 = load i32, ptr %12, align 32
  %229 = sext i32 %228 to i64
  %230 = icmp slt i64 %220, %229
  br i1 %230, label %219, label %231
231:                                              ; preds = %219, %216
  %232 = phi i32 [ %217, %216 ], [ %228, %219 ]
  %233 = phi i64 [ 0, %216 ], [ %226, %219 ]
  %234 = load i64, ptr %152, align 16
  %235 = icmp eq i64 %233, %234
  br i1 %235, label %177, label %236
236:                                              ; preds = %231
  call void @llvm.x86.sse2.pause()
  %237 = load i32, ptr %12, align 32
  %238 = icmp slt i32 %237, 1
  br i1 %238, label %251, label %239
239:                                              ; preds = %236, %239
  %240 = phi i64 [ %247, %239 ], [ 1, %236 ]
  %241 = phi i64 [ %246, %239 ], [ 0, %236 ]
  %242 = load ptr, ptr %155, align 8
  %243 = getelementptr inbounds nuw %struct.share, ptr %242, i64 %240
  %244 = getelementptr inbounds nuw i8, ptr %243, i64 64
  %245 = load atomic i64, ptr %244 seq_cst, align 64
  %246 = add nsw i64 %245, %241
  %247 = add nuw nsw i64 %240, 1
  %248 = load i32, ptr %12, align 32
  %249 = sext i32 %248 to i64
  %250 = icmp slt i64 %240, %249
  br i1 %250, label %239, label %251
251:                                              ; preds = %239, %236
  %252 = phi i32 [ %237, %236 ], [ %248, %239 ]
  %253 = phi i64 [ 0, %236 ], [ %246, %239 ]
  %254 = load i64, ptr %152, align 16
  %255 = icmp eq i64 %253, %254
  br i1 %255, label %177, label %256
256:                                              ; preds = %251
  call void @llvm.x86.sse2.pause()
  %257 = load i32, ptr %12, align 32
  %258 = icmp slt i32 %257, 1
  br i1 %258, label %271, label %259
259:                                              ; preds = %256, %259
  %260 = phi i64 [ %267, %259 ], [ 1, %256 ]
  %261 = phi i64 [ %266, %259 ], [ 0, %256 ]
  %262 = load ptr, ptr %155, align 8
  %263 = getelementptr inbounds nuw %struct.share, ptr %262, i64 %260
  %264 = getelementptr inbounds nuw i8, ptr %263, i64 64
  %265 = load atomic i64, ptr %264 seq_cst, align 64
  %266 = add nsw i64 %265, %261
  %267 = add nuw nsw i64 %260, 1
  %268 = load i32, ptr %12, align 32
  %269 = sext i32 %268 to i64
  %270 = icmp slt i64 %260, %269
  br i1 %270, label %259, label %271
271:                                              ; preds = %259, %256
  %272 = phi i32 [ %257, %256 ], [ %268, %259 ]
  %273 = phi i64 [ 0, %256 ], [ %266, %259 ]
  %274 = load i64, ptr %152, align 16
  %275 = icmp eq i64 %273, %274
  br i1 %275, label %177, label %276
276:                                              ; preds = %271
  call void @llvm.x86.sse2.pause()
  %277 = load i32, ptr %12, align 32
  %278 = icmp slt i32 %277, 1
  br i1 %278, label %291, label %279
279:                                              ; preds = %276, %279
  %280 = phi i64 [ %287, %279 ], [ 1, %276 ]
  %281 = phi i64 [ %286, %279 ], [ 0, %276 ]
  %282 = load ptr, ptr %155, align 8
  %283 = getelementptr inbounds nuw %struct.share, ptr %282, i64 %280
  %284 = getelementptr inbounds nuw i8, ptr %283, i64 64
  %285 = load atomic i64, ptr %284 seq_cst, align 64
  %286 = add nsw i64 %285, %281
  %287 = add nuw nsw i64 %280, 1
  %288 = load i32, ptr %12, align 32
  %289 = sext i32 %288 to i64
  %290 = icmp slt i64 %280, %289
  br i1 %290, label %279, label %291
291:                                              ; preds = %279, %276
  %292 = phi i32 [ %277, %276 ], [ %288, %279 ]
  %293 = phi i64 [ 0, %276 ], [ %286, %279 ]
  %294 = load i64, ptr %152, align 16
  %295 = icmp eq i64 %293, %294
  br i1 %295, label %177, label %296
296:                                              ; preds = %291
  call void @llvm.x86.sse2.pause()
  %297 = load i32, ptr %12, align 32
  %298 = icmp slt i32 %297, 1
  br i1 %298, label %311, label %299
299:                                              ; preds = %296, %299
  %300 = phi i64 [ %307, %299 ], [ 1, %296 ]
  %301 = phi i64 [ %306, %299 ], [ 0, %296 ]
  %302 = load ptr, ptr %155, align 8
  %303 = getelementptr inbounds nuw %struct.share, ptr %302, i64 %300
  %304 = getelementptr inbounds nuw i8, ptr %303, i64 64
  %305 = load atomic i64, ptr %304 seq_cst, align 64
  %306 = add nsw i64 %305, %301
  %307 = add nuw nsw i64 %300, 1
  %308 = load i32, ptr %12, align 32
  %309 = sext i32 %308 to i64
  %310 = icmp slt i64 %300, %309
  br i1 %310, label %299, label %311
311:                                              ; preds = %299, %296
  %312 = phi i32 [ %297, %296 ], [ %308, %299 ]
  %313 = phi i64 [ 0, %296 ], [ %306, %299 ]
  %314 = load i64, ptr %152, align 16
  %315 = icmp eq i64 %313, %314
  br i1 %315, label %177, label %316
316:                                              ; preds = %311
  call void @llvm.x86.sse2.pause()
  %317 = load i32, ptr %12, align 32
  %318 = icmp slt i32 %317, 1
  br i1 %318, label %331, label %319
319:                                              ; preds = %316, %319
  %320 = phi i64 [ %327, %319 ], [ 1, %316 ]
  %321 = phi i64 [ %326, %319 ], [ 0, %316 ]
  %322 = load ptr, ptr %155, align 8
  %323 = getelementptr inbounds nuw %struct.share, ptr %322, i64 %320
  %324 = getelementptr inbounds nuw i8, ptr %323, i64 64
  %325 = load atomic i64, ptr %324 seq_cst, align 64
  %326 = add nsw i64 %325, %321
  %327 = add nuw nsw i64 %320, 1
  %328 = load i32, ptr %12, align 32
  %329 = sext i32 %328 to i64
  %330 = icmp slt i64 %320, %329
  br i1 %330, label %319, label %331
331:                                              ; preds = %319, %316
  %332 = phi i32 [ %317, %316 ], [ %328, %319 ]
  %333 = phi i64 [ 0, %316 ], [ %326, %319 ]
  %334 = load i64, ptr %152, align 16
  %335 = icmp eq i64 %333, %334
  br i1 %335, label %177, label %336
336:                                              ; preds = %331
  call void @llvm.x86.sse2.pause()
  %337 = load i32, ptr %12, align 32
  br label %177
338:                                              ; preds = %192
  %339 = icmp sgt i32 %40, 1
  br i1 %339, label %340, label %394
340:                                              ; preds = %338
  %341 = shl i64 %60, 16
  %342 = or disjoint i64 %341, 1
  %343 = zext nneg i32 %40 to i64
  br label %344
344:                                              ; preds = %388, %340
  %345 = phi i64 [ 1, %340 ], [ %390, %388 ]
  %346 = phi i32 [ 0, %340 ], [ %389, %388 ]
  %347 = mul nuw nsw i64 %345, %66
  %348 = trunc nsw i64 %347 to i32
  br label %349
349:                                              ; preds = %370, %344
  %350 = phi i32 [ 0, %344 ], [ %387, %370 ]
  %351 = load ptr, ptr %155, align 8
  %352 = getelementptr inbounds nuw %struct.share, ptr %351, i64 %345
  %353 = load atomic i64, ptr %352 acquire, align 64
  br label %354
354:                                              ; preds = %364, %349
  %355 = phi i64 [ %353, %349 ], [ %369, %364 ]
  %356 = lshr i64 %355, 16
  %357 = icmp eq i64 %356, %60
  %358 = trunc i64 %355 to i32
  %359 = and i32 %358, 65535
  %360 = select i1 %357, i32 %359, i32 0
  %361 = icmp ule i64 %356, %60
  %362 = icmp samesign ult i32 %360, %67
  %363 = select i1 %361, i1 %362, i1 false
  br i1 %363, label %364, label %388
364:                                              ; preds = %354
  %365 = zext nneg i32 %360 to i64
  %366 = add nuw i64 %342, %365
  %367 = cmpxchg weak ptr %352, i64 %355, i64 %366 seq_cst seq_cst, align 64
  %368 = extractvalue { i64, i1 } %367, 1
  %369 = extractvalue { i64, i1 } %367, 0
  br i1 %368, label %370, label %354
370:                                              ; preds = %364
  %371 = add nsw i32 %360, %348
  %372 = zext i32 %371 to i64
  %373 = mul nuw nsw i64 %70, %372
  %374 = mul i32 %371, %72
  %375 = add i32 %374, %97
  %376 = udiv i32 %375, %68
  %377 = zext i32 %376 to i64
  %378 = add nuw nsw i64 %373, %377
  %379 = add i32 %371, 1
  %380 = zext i32 %379 to i64
  %381 = mul nuw nsw i64 %70, %380
  %382 = mul i32 %379, %72
  %383 = add i32 %382, %97
  %384 = udiv i32 %383, %68
  %385 = zext i32 %384 to i64
  %386 = add nuw nsw i64 %381, %385
  call void %1(ptr noundef %2, i64 noundef %378, i64 noundef %386) #14
  %387 = add nuw nsw i32 %350, 1
  br label %349
388:                                              ; preds = %354
  %389 = add nuw nsw i32 %350, %346
  %390 = add nuw nsw i64 %345, 1
  %391 = icmp eq i64 %390, %343
  br i1 %391, label %392, label %344
392:                                              ; preds = %388
  %393 = load i64, ptr %152, align 16
  br label %394
394:                                              ; preds = %392, %338, %192
  %395 = phi i64 [ %193, %192 ], [ %194, %338 ], [ %393, %392 ]
  %396 = phi i32 [ 0, %192 ], [ 0, %338 ], [ %389, %392 ]
  %397 = sext i32 %396 to i64
  %398 = sub nsw i64 %395, %397
  store i64 %398, ptr %152, align 16
  %399 = add nsw i32 %396, %148
  %400 = icmp ult i32 %399, %68
  %401 = getelementptr inbounds nuw i8, ptr %0, i64 552
  br i1 %400, label %402, label %408
402:                                              ; preds = %394
  store i32 0, ptr %401, align 8
  %403 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %404 = load i32, ptr %403, align 4
  %405 = icmp sgt i32 %404, 4
  %406 = sext i1 %405 to i32
  %407 = add i32 %404, %406
  store i32 %407, ptr %403, align 4
  br label %417
408:                                              ; preds = %394
  %409 = load i32, ptr %401, align 8
  %410 = add nsw i32 %409, 1
  store i32 %410, ptr %401, align 8
  %411 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %412 = load i32, ptr %411, align 4
  %413 = icmp slt i32 %410, %412
  br i1 %413, label %417, label %414
414:                                              ; preds = %408
  store i32 0, ptr %401, align 8
  %415 = call i32 @llvm.smin.i32(i32 %412, i32 32)
  %416 = shl i32 %415, 1
  store i32 %416, ptr %411, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %417
417:                                              ; preds = %402, %408, %414
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %418
418:                                              ; preds = %417, %56
  %419 = icmp eq i64 %54, 0
  br i1 %419, label %434, label %420
420:                                              ; preds = %418
  %421 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #14
  %422 = load i64, ptr %8, align 8
  %423 = mul nsw i64 %422, 1000000000
  %424 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %425 = load i64, ptr %424, align 8
  %426 = sub i64 %425, %54
  %427 = add i64 %426, %423
  %428 = sdiv i64 %427, 1000
  %429 = add nsw i64 %428, %11
  %430 = load i64, ptr %10, align 8
  %431 = icmp slt i64 %429, %430
  %432 = call i64 @llvm.smin.i64(i64 %429, i64 64)
  %433 = select i1 %431, i64 %430, i64 %432
  store i64 %433, ptr %10, align 8
  br label %434
434:                                              ; preds = %420, %418
  ret void
}
define internal fastcc void @note_time(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %2, i32 noundef range(i32 -1073741823, 1073741825) %3, i64 noundef range(i64 1, 0) %4, i64 noundef %5) unnamed_addr #9 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 624
  %8 = load i32, ptr %7, align 16
  %9 = icmp slt i32 %8, 16
  br i1 %9, label %136, label %10
10:                                               ; preds = %6
  %11 = ptrtoint ptr %1 to i64
  %12 = lshr i64 %11, 4
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 640
  %14 = and i64 %12, 63
  %15 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %14
  %16 = load ptr, ptr %15, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %18, label %19
18:                                               ; preds = %10
  store ptr %1, ptr %15, align 8
  br label %116
19:                                               ; preds = %10
  %20 = icmp eq ptr %16, %1
  br i1 %20, label %21, label %25
21:                                               ; preds = %19
  %22 = getelementptr inbounds nuw i8, ptr %15, i64 8
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, %2
  br i1 %24, label %119, label %25
25:                                               ; preds = %21, %19
  %26 = add nuw nsw i64 %12, 1
  %27 = and i64 %26, 63
  %28 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %27
  %29 = load ptr, ptr %28, align 8
  %30 = icmp eq ptr %29, null
  br i1 %30, label %31, label %32
31:                                               ; preds = %25
  store ptr %1, ptr %28, align 8
  br label %116
32:                                               ; preds = %25
  %33 = icmp eq ptr %29, %1
  br i1 %33, label %34, label %38
34:                                               ; preds = %32
  %35 = getelementptr inbounds nuw i8, ptr %28, i64 8
  %36 = load i64, ptr %35, align 8
  %37 = icmp eq i64 %36, %2
  br i1 %37, label %119, label %38
38:                                               ; preds = %34, %32
  %39 = add nuw nsw i64 %12, 2
  %40 = and i64 %39, 63
  %41 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %40
  %42 = load ptr, ptr %41, align 8
  %43 = icmp eq ptr %42, null
  br i1 %43, label %44, label %45
44:                                               ; preds = %38
  store ptr %1, ptr %41, align 8
  br label %116
45:                                               ; preds = %38
  %46 = icmp eq ptr %42, %1
  br i1 %46, label %47, label %51
47:                                               ; preds = %45
  %48 = getelementptr inbounds nuw i8, ptr %41, i64 8
  %49 = load i64, ptr %48, align 8
  %50 = icmp eq i64 %49, %2
  br i1 %50, label %119, label %51
51:                                               ; preds = %47, %45
  %52 = add nuw nsw i64 %12, 3
  %53 = and i64 %52, 63
  %54 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %53
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, null
  br i1 %56, label %57, label %58
57:                                               ; preds = %51
  store ptr %1, ptr %54, align 8
  br label %116
58:                                               ; preds = %51
  %59 = icmp eq ptr %55, %1
  br i1 %59, label %60, label %64
60:                                               ; preds = %58
  %61 = getelementptr inbounds nuw i8, ptr %54, i64 8
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %62, %2
  br i1 %63, label %119, label %64
64:                                               ; preds = %60, %58
  %65 = add nuw nsw i64 %12, 4
  %66 = and i64 %65, 63
  %67 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %66
  %68 = load ptr, ptr %67, align 8
  %69 = icmp eq ptr %68, null
  br i1 %69, label %70, label %71
70:                                               ; preds = %64
  store ptr %1, ptr %67, align 8
  br label %116
71:                                               ; preds = %64
  %72 = icmp eq ptr %68, %1
  br i1 %72, label %73, label %77
73:                                               ; preds = %71
  %74 = getelementptr inbounds nuw i8, ptr %67, i64 8
  %75 = load i64, ptr %74, align 8
  %76 = icmp eq i64 %75, %2
  br i1 %76, label %119, label %77
77:                                               ; preds = %73, %71
  %78 = add nuw nsw i64 %12, 5
  %79 = and i64 %78, 63
  %80 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %79
  %81 = load ptr, ptr %80, align 8
  %82 = icmp eq ptr %81, null
  br i1 %82, label %83, label %84
83:                                               ; preds = %77
  store ptr %1, ptr %80, align 8
  br label %116
84:                                               ; preds = %77
  %85 = icmp eq ptr %81, %1
  br i1 %85, label %86, label %90
86:                                               ; preds = %84
  %87 = getelementptr inbounds nuw i8, ptr %80, i64 8
  %88 = load i64, ptr %87, align 8
  %89 = icmp eq i64 %88, %2
  br i1 %89, label %119, label %90
90:                                               ; preds = %86, %84
  %91 = add nuw nsw i64 %12, 6
  %92 = and i64 %91, 63
  %93 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %92
  %94 = load ptr, ptr %93, align 8
  %95 = icmp eq ptr %94, null
  br i1 %95, label %96, label %97
96:                                               ; preds = %90
  store ptr %1, ptr %93, align 8
  br label %116
97:                                               ; preds = %90
  %98 = icmp eq ptr %94, %1
  br i1 %98, label %99, label %103
99:                                               ; preds = %97
  %100 = getelementptr inbounds nuw i8, ptr %93, i64 8
  %101 = load i64, ptr %100, align 8
  %102 = icmp eq i64 %101, %2
  br i1 %102, label %119, label %103
103:                                              ; preds = %99, %97
  %104 = add nuw nsw i64 %12, 7
  %105 = and i64 %104, 63
  %106 = getelementptr inbounds nuw %struct.times, ptr %13, i64 %105
  %107 = load ptr, ptr %106, align 8
  %108 = icmp eq ptr %107, null
  br i1 %108, label %109, label %110
109:                                              ; preds = %103
  store ptr %1, ptr %106, align 8
  br label %116
110:                                              ; preds = %103
  %111 = icmp eq ptr %107, %1
  br i1 %111, label %112, label %142
112:                                              ; preds = %110
  %113 = getelementptr inbounds nuw i8, ptr %106, i64 8
  %114 = load i64, ptr %113, align 8
  %115 = icmp eq i64 %114, %2
  br i1 %115, label %119, label %142
116:                                              ; preds = %18, %31, %44, %57, %70, %83, %96, %109
  %117 = phi ptr [ %106, %109 ], [ %93, %96 ], [ %80, %83 ], [ %67, %70 ], [ %54, %57 ], [ %41, %44 ], [ %28, %31 ], [ %15, %18 ]
  %118 = getelementptr inbounds nuw i8, ptr %117, i64 8
  store i64 %2, ptr %118, align 8
  br label %119
119:                                              ; preds = %116, %21, %34, %112, %47, %86, %60, %99, %73
  %120 = phi ptr [ %67, %73 ], [ %93, %99 ], [ %54, %60 ], [ %80, %86 ], [ %41, %47 ], [ %106, %112 ], [ %28, %34 ], [ %15, %21 ], [ %117, %116 ]
  %121 = getelementptr inbounds nuw i8, ptr %120, i64 16
  %122 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %123 = load i32, ptr %122, align 4
  %124 = sext i32 %123 to i64
  %125 = getelementptr inbounds i64, ptr %121, i64 %124
  %126 = load i64, ptr %125, align 8
  %127 = add nsw i64 %126, 1
  store i64 %127, ptr %125, align 8
  %128 = sub i64 %5, %4
  %129 = getelementptr inbounds nuw i8, ptr %120, i64 40
  %130 = load i32, ptr %122, align 4
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds i64, ptr %129, i64 %131
  %133 = load i64, ptr %132, align 8
  %134 = add nsw i64 %128, %133
  store i64 %134, ptr %132, align 8
  %135 = load i32, ptr %7, align 16
  br label %136
136:                                              ; preds = %119, %6
  %137 = phi i32 [ %8, %6 ], [ %135, %119 ]
  %138 = icmp eq i32 %137, 0
  br i1 %138, label %139, label %142
139:                                              ; preds = %136
  %140 = add nsw i64 %4, 2000000
  %141 = getelementptr inbounds nuw i8, ptr %0, i64 632
  store i64 %140, ptr %141, align 8
  br label %142
142:                                              ; preds = %112, %110, %139, %136
  %143 = phi i32 [ %137, %136 ], [ 0, %139 ], [ %8, %110 ], [ %8, %112 ]
  %144 = add nsw i32 %143, %3
  store i32 %144, ptr %7, align 16
  %145 = icmp slt i32 %144, 64
  br i1 %145, label %146, label %150
146:                                              ; preds = %142
  %147 = getelementptr inbounds nuw i8, ptr %0, i64 632
  %148 = load i64, ptr %147, align 8
  %149 = icmp slt i64 %5, %148
  br i1 %149, label %335, label %150
150:                                              ; preds = %146, %142
  store i32 0, ptr %7, align 16
  %151 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %152 = load i32, ptr %151, align 4
  %153 = icmp eq i32 %152, 0
  br i1 %153, label %154, label %159
154:                                              ; preds = %150
  %155 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %156 = load i64, ptr %155, align 32
  %157 = icmp slt i64 %156, 3
  %158 = select i1 %157, i32 2, i32 1
  br label %159
159:                                              ; preds = %154, %150
  %160 = phi i32 [ 1, %150 ], [ %158, %154 ]
  %161 = add nsw i32 %160, %152
  store i32 %161, ptr %151, align 4
  %162 = icmp eq i32 %161, 3
  br i1 %162, label %163, label %335
163:                                              ; preds = %159
  %164 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %165 = load i64, ptr %164, align 32
  %166 = icmp slt i64 %165, 3
  %167 = getelementptr inbounds nuw i8, ptr %0, i64 600
  %168 = load i32, ptr %167, align 8
  %169 = icmp eq i32 %168, 1
  %170 = select i1 %166, i1 %169, i1 false
  %171 = select i1 %170, i32 0, i32 %168
  %172 = getelementptr inbounds nuw i8, ptr %0, i64 640
  %173 = sext i32 %171 to i64
  br label %174
174:                                              ; preds = %199, %163
  %175 = phi i64 [ 0, %163 ], [ %201, %199 ]
  %176 = phi i64 [ 0, %163 ], [ %200, %199 ]
  %177 = getelementptr inbounds nuw %struct.times, ptr %172, i64 %175
  %178 = getelementptr inbounds nuw i8, ptr %177, i64 16
  %179 = load i64, ptr %178, align 8
  %180 = icmp sgt i64 %179, 0
  br i1 %180, label %181, label %199
181:                                              ; preds = %174
  %182 = getelementptr inbounds nuw i8, ptr %177, i64 32
  %183 = load i64, ptr %182, align 8
  %184 = icmp sgt i64 %183, 0
  br i1 %184, label %185, label %199
185:                                              ; preds = %181
  br i1 %166, label %190, label %186
186:                                              ; preds = %185
  %187 = getelementptr inbounds nuw i8, ptr %177, i64 24
  %188 = load i64, ptr %187, align 8
  %189 = icmp sgt i64 %188, 0
  br i1 %189, label %190, label %199
190:                                              ; preds = %186, %185
  %191 = getelementptr inbounds nuw i8, ptr %177, i64 40
  %192 = getelementptr inbounds i64, ptr %191, i64 %173
  %193 = load i64, ptr %192, align 8
  %194 = mul nsw i64 %193, %179
  %195 = getelementptr inbounds i64, ptr %178, i64 %173
  %196 = load i64, ptr %195, align 8
  %197 = sdiv i64 %194, %196
  %198 = add nsw i64 %197, %176
  br label %199
199:                                              ; preds = %190, %186, %181, %174
  %200 = phi i64 [ %198, %190 ], [ %176, %186 ], [ %176, %181 ], [ %176, %174 ]
  %201 = add nuw nsw i64 %175, 1
  %202 = icmp eq i64 %201, 64
  br i1 %202, label %203, label %174
203:                                              ; preds = %199
  %204 = sdiv i64 %200, -16
  %205 = add i64 %204, %200
  br label %206
206:                                              ; preds = %229, %203
  %207 = phi i64 [ %232, %229 ], [ 0, %203 ]
  %208 = phi i64 [ %231, %229 ], [ 0, %203 ]
  br label %209
209:                                              ; preds = %234, %206
  %210 = phi i64 [ %235, %234 ], [ %207, %206 ]
  %211 = getelementptr inbounds nuw %struct.times, ptr %172, i64 %210
  %212 = getelementptr inbounds nuw i8, ptr %211, i64 16
  %213 = load i64, ptr %212, align 8
  %214 = icmp sgt i64 %213, 0
  br i1 %214, label %215, label %229
215:                                              ; preds = %209
  %216 = getelementptr inbounds nuw i8, ptr %211, i64 32
  %217 = load i64, ptr %216, align 8
  %218 = icmp sgt i64 %217, 0
  br i1 %218, label %219, label %229
219:                                              ; preds = %215
  br i1 %166, label %224, label %220
220:                                              ; preds = %219
  %221 = getelementptr inbounds nuw i8, ptr %211, i64 24
  %222 = load i64, ptr %221, align 8
  %223 = icmp sgt i64 %222, 0
  br i1 %223, label %224, label %234
224:                                              ; preds = %220, %219
  %225 = phi i64 [ %210, %220 ], [ %207, %219 ]
  %226 = getelementptr inbounds nuw i8, ptr %211, i64 40
  %227 = load i64, ptr %226, align 8
  %228 = add nsw i64 %227, %208
  br label %229
229:                                              ; preds = %215, %209, %224
  %230 = phi i64 [ %225, %224 ], [ %210, %209 ], [ %210, %215 ]
  %231 = phi i64 [ %228, %224 ], [ %208, %209 ], [ %208, %215 ]
  %232 = add nuw nsw i64 %230, 1
  %233 = icmp eq i64 %232, 64
  br i1 %233, label %241, label %206
234:                                              ; preds = %220
  %235 = add nuw nsw i64 %210, 1
  %236 = icmp eq i64 %235, 64
  br i1 %236, label %237, label %209
237:                                              ; preds = %234
  %238 = icmp slt i64 %208, %205
  %239 = tail call i64 @llvm.smin.i64(i64 %208, i64 %205)
  %240 = select i1 %238, i32 0, i32 %171
  br label %245
241:                                              ; preds = %229
  %242 = icmp slt i64 %231, %205
  %243 = tail call i64 @llvm.smin.i64(i64 %231, i64 %205)
  %244 = select i1 %242, i32 0, i32 %171
  br i1 %166, label %273, label %245
245:                                              ; preds = %241, %237
  %246 = phi i32 [ %240, %237 ], [ %244, %241 ]
  %247 = phi i64 [ %239, %237 ], [ %243, %241 ]
  br label %248
248:                                              ; preds = %269, %245
  %249 = phi i64 [ 0, %245 ], [ %271, %269 ]
  %250 = phi i64 [ 0, %245 ], [ %270, %269 ]
  %251 = getelementptr inbounds nuw %struct.times, ptr %172, i64 %249
  %252 = getelementptr inbounds nuw i8, ptr %251, i64 16
  %253 = load i64, ptr %252, align 8
  %254 = icmp sgt i64 %253, 0
  br i1 %254, label %255, label %269
255:                                              ; preds = %248
  %256 = getelementptr inbounds nuw i8, ptr %251, i64 32
  %257 = load i64, ptr %256, align 8
  %258 = icmp sgt i64 %257, 0
  br i1 %258, label %259, label %269
259:                                              ; preds = %255
  %260 = getelementptr inbounds nuw i8, ptr %251, i64 24
  %261 = load i64, ptr %260, align 8
  %262 = icmp sgt i64 %261, 0
  br i1 %262, label %263, label %269
263:                                              ; preds = %259
  %264 = getelementptr inbounds nuw i8, ptr %251, i64 48
  %265 = load i64, ptr %264, align 8
  %266 = mul nsw i64 %265, %253
  %267 = sdiv i64 %266, %261
  %268 = add nsw i64 %267, %250
  br label %269
269:                                              ; preds = %263, %259, %255, %248
  %270 = phi i64 [ %268, %263 ], [ %250, %259 ], [ %250, %255 ], [ %250, %248 ]
  %271 = add nuw nsw i64 %249, 1
  %272 = icmp eq i64 %271, 64
  br i1 %272, label %273, label %248
273:                                              ; preds = %269, %241
  %274 = phi i32 [ %244, %241 ], [ %246, %269 ]
  %275 = phi i64 [ %243, %241 ], [ %247, %269 ]
  %276 = phi i64 [ %243, %241 ], [ %270, %269 ]
  br label %277
277:                                              ; preds = %299, %273
  %278 = phi i64 [ 0, %273 ], [ %301, %299 ]
  %279 = phi i64 [ 0, %273 ], [ %300, %299 ]
  %280 = getelementptr inbounds nuw %struct.times, ptr %172, i64 %278
  %281 = getelementptr inbounds nuw i8, ptr %280, i64 16
  %282 = load i64, ptr %281, align 8
  %283 = icmp sgt i64 %282, 0
  br i1 %283, label %284, label %299
284:                                              ; preds = %277
  %285 = getelementptr inbounds nuw i8, ptr %280, i64 32
  %286 = load i64, ptr %285, align 8
  %287 = icmp sgt i64 %286, 0
  br i1 %287, label %288, label %299
288:                                              ; preds = %284
  br i1 %166, label %293, label %289
289:                                              ; preds = %288
  %290 = getelementptr inbounds nuw i8, ptr %280, i64 24
  %291 = load i64, ptr %290, align 8
  %292 = icmp sgt i64 %291, 0
  br i1 %292, label %293, label %299
293:                                              ; preds = %289, %288
  %294 = getelementptr inbounds nuw i8, ptr %280, i64 56
  %295 = load i64, ptr %294, align 8
  %296 = mul nsw i64 %295, %282
  %297 = sdiv i64 %296, %286
  %298 = add nsw i64 %297, %279
  br label %299
299:                                              ; preds = %293, %289, %284, %277
  %300 = phi i64 [ %298, %293 ], [ %279, %289 ], [ %279, %284 ], [ %279, %277 ]
  %301 = add nuw nsw i64 %278, 1
  %302 = icmp eq i64 %301, 64
  br i1 %302, label %303, label %277
303:                                              ; preds = %299
  %304 = icmp slt i64 %276, %275
  %305 = tail call i64 @llvm.smin.i64(i64 %276, i64 %275)
  %306 = select i1 %304, i32 1, i32 %274
  %307 = icmp slt i64 %300, %305
  %308 = select i1 %307, i32 2, i32 %306
  store i32 3, ptr %151, align 4
  %309 = icmp eq i32 %308, %171
  br i1 %309, label %310, label %318
310:                                              ; preds = %303
  %311 = getelementptr inbounds nuw i8, ptr %0, i64 612
  store i32 0, ptr %311, align 4
  %312 = icmp eq i32 %171, 2
  %313 = select i1 %312, i32 4, i32 16
  %314 = getelementptr inbounds nuw i8, ptr %0, i64 616
  %315 = load i32, ptr %314, align 8
  %316 = shl nsw i32 %315, 1
  %317 = tail call i32 @llvm.smin.i32(i32 %316, i32 %313)
  store i32 %317, ptr %314, align 8
  br label %332
318:                                              ; preds = %303
  %319 = getelementptr inbounds nuw i8, ptr %0, i64 608
  %320 = load i32, ptr %319, align 32
  %321 = icmp eq i32 %308, %320
  %322 = getelementptr inbounds nuw i8, ptr %0, i64 612
  br i1 %321, label %325, label %323
323:                                              ; preds = %318
  store i32 1, ptr %322, align 4
  store i32 %308, ptr %319, align 32
  %324 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %324, align 8
  br label %330
325:                                              ; preds = %318
  %326 = load i32, ptr %322, align 4
  %327 = add nsw i32 %326, 1
  store i32 %327, ptr %322, align 4
  %328 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %328, align 8
  %329 = icmp slt i32 %326, 1
  br i1 %329, label %330, label %331
330:                                              ; preds = %325, %323
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(4096) %172, i8 0, i64 4096, i1 false)
  store i32 0, ptr %151, align 4
  store i32 0, ptr %7, align 16
  br label %332
331:                                              ; preds = %325
  store i32 %308, ptr %167, align 8
  store i32 0, ptr %322, align 4
  br label %332
332:                                              ; preds = %310, %330, %331
  %333 = phi i32 [ 1, %330 ], [ 1, %331 ], [ %317, %310 ]
  %334 = getelementptr inbounds nuw i8, ptr %0, i64 620
  store i32 %333, ptr %334, align 4
  br label %335
335:                                              ; preds = %159, %332, %146
  ret void
}
define i32 @ingot_pool_team(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4, i64 noundef %5) local_unnamed_addr #0 {
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %struct.timespec, align 8
  %9 = icmp ne ptr %0, null
  %10 = ptrtoint ptr %0 to i64
  %11 = and i64 %10, 1
  %12 = icmp eq i64 %11, 0
  %13 = and i1 %9, %12
  br i1 %13, label %14, label %27
14:                                               ; preds = %6
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %16 = load i32, ptr %15, align 4
  %17 = icmp ne i32 %16, 2
  %18 = icmp sgt i32 %3, 32
  %19 = or i1 %18, %17
  br i1 %19, label %27, label %20
20:                                               ; preds = %14
  %21 = tail call fastcc i32 @start(ptr noundef %0)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %27, label %23
23:                                               ; preds = %20
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 512
  %25 = atomicrmw xchg ptr %24, i32 1 seq_cst, align 64
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %29, label %27
27:                                               ; preds = %23, %20, %14, %6
  %28 = tail call i32 %1(ptr noundef %2, ptr noundef %0) #14
  br label %88
29:                                               ; preds = %23
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 564
  %31 = load i32, ptr %30, align 4
  %32 = sub nsw i32 %31, %4
  store i32 %32, ptr %30, align 4
  %33 = icmp slt i32 %32, 1
  br i1 %33, label %34, label %35
34:                                               ; preds = %29
  tail call fastcc void @weigh(ptr noundef %0)
  br label %35
35:                                               ; preds = %34, %29
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %37 = load i32, ptr %36, align 4
  %38 = icmp eq i32 %37, 3
  br i1 %38, label %39, label %42
39:                                               ; preds = %35
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 600
  %41 = load i32, ptr %40, align 8
  br label %42
42:                                               ; preds = %39, %35
  %43 = phi i32 [ %41, %39 ], [ %37, %35 ]
  switch i32 %43, label %47 [
    i32 0, label %48
    i32 1, label %44
  ]
44:                                               ; preds = %42
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %46 = load i64, ptr %45, align 32
  br label %48
47:                                               ; preds = %42
  br label %48
48:                                               ; preds = %42, %44, %47
  %49 = phi i64 [ 2, %42 ], [ %46, %44 ], [ 9223372036854775807, %47 ]
  %50 = icmp eq i64 %49, 9223372036854775807
  %51 = sext i32 %4 to i64
  %52 = select i1 %50, i64 %51, i64 0
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %54 = load i64, ptr %53, align 16
  %55 = add nsw i64 %52, %54
  store i64 %55, ptr %53, align 16
  br i1 %38, label %63, label %56
56:                                               ; preds = %48
  %57 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #14
  %58 = load i64, ptr %8, align 8
  %59 = mul nsw i64 %58, 1000000000
  %60 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %61 = load i64, ptr %60, align 8
  %62 = add nsw i64 %59, %61
  br label %63
63:                                               ; preds = %48, %56
  %64 = phi i64 [ %62, %56 ], [ 0, %48 ]
  br i1 %50, label %70, label %65
65:                                               ; preds = %63
  %66 = call fastcc i32 @threads_for(ptr noundef %0, i64 noundef 2, i64 noundef %5)
  %67 = icmp eq i32 %66, 2
  br i1 %67, label %68, label %70
68:                                               ; preds = %65
  %69 = call fastcc i32 @lead(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i64 noundef %49)
  br label %72
70:                                               ; preds = %63, %65
  %71 = call i32 %1(ptr noundef %2, ptr noundef null) #14
  br label %72
72:                                               ; preds = %70, %68
  %73 = phi i32 [ %69, %68 ], [ %71, %70 ]
  %74 = icmp eq i64 %64, 0
  br i1 %74, label %87, label %75
75:                                               ; preds = %72
  %76 = load i32, ptr %36, align 4
  %77 = icmp eq i32 %76, 3
  br i1 %77, label %87, label %78
78:                                               ; preds = %75
  %79 = sdiv i32 %4, 2
  %80 = add nsw i32 %79, 1
  %81 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #14
  %82 = load i64, ptr %7, align 8
  %83 = mul nsw i64 %82, 1000000000
  %84 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %85 = load i64, ptr %84, align 8
  %86 = add nsw i64 %83, %85
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %5, i32 noundef %80, i64 noundef %64, i64 noundef %86)
  br label %87
87:                                               ; preds = %78, %75, %72
  store atomic i32 0, ptr %24 release, align 64
  br label %88
88:                                               ; preds = %87, %27
  %89 = phi i32 [ %28, %27 ], [ %73, %87 ]
  ret i32 %89
}
define internal fastcc i32 @threads_for(ptr noundef nonnull %0, i64 noundef range(i64 2, -9223372036854775808) %1, i64 noundef %2) unnamed_addr #10 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %5 = load i32, ptr %4, align 32
  %6 = add nsw i32 %5, 1
  %7 = sext i32 %6 to i64
  %8 = tail call i64 @llvm.smin.i64(i64 %1, i64 %7)
  %9 = trunc nsw i64 %8 to i32
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %11 = load atomic i32, ptr %10 seq_cst, align 64
  %12 = sub nsw i32 %6, %11
  %13 = icmp slt i32 %12, %9
  br i1 %13, label %16, label %14
14:                                               ; preds = %3
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 536
  store i64 0, ptr %15, align 8
  br label %30
16:                                               ; preds = %3
  %17 = sext i32 %12 to i64
  %18 = sdiv i64 %2, %17
  %19 = sdiv i64 %2, %8
  %20 = sub nsw i64 %18, %19
  %21 = icmp slt i64 %20, 64
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 536
  br i1 %21, label %24, label %23
23:                                               ; preds = %16
  store i64 64, ptr %22, align 8
  br label %30
24:                                               ; preds = %16
  %25 = load i64, ptr %22, align 8
  %26 = add nsw i64 %25, %20
  %27 = freeze i64 %26
  store i64 %27, ptr %22, align 8
  %28 = icmp slt i64 %27, 64
  %29 = select i1 %28, i32 %12, i32 %9
  br label %30
30:                                               ; preds = %24, %23, %14
  %31 = phi i32 [ %9, %14 ], [ %9, %23 ], [ %29, %24 ]
  ret i32 %31
}
define internal fastcc i32 @lead(ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i32 noundef range(i32 -2147483648, 33) %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.member, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %9, 1
  store i64 %10, ptr %8, align 8
  %11 = icmp sgt i32 %3, 0
  br i1 %11, label %12, label %32
12:                                               ; preds = %5
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = zext nneg i32 %3 to i64
  %15 = and i64 %14, 1
  %16 = icmp eq i32 %3, 1
  br i1 %16, label %21, label %17
17:                                               ; preds = %12
  %18 = and i64 %14, 2147483646
  br label %88
19:                                               ; preds = %109
  %20 = icmp eq i64 %15, 0
  br i1 %20, label %32, label %21
21:                                               ; preds = %19, %12
  %22 = phi i64 [ 0, %12 ], [ %110, %19 ]
  %23 = icmp ne i64 %15, 0
  tail call void @llvm.assume(i1 %23)
  %24 = getelementptr inbounds nuw ptr, ptr %13, i64 %22
  %25 = load atomic i64, ptr %24 monotonic, align 8
  %26 = inttoptr i64 %25 to ptr
  %27 = getelementptr inbounds nuw ptr, ptr %2, i64 %22
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, %26
  br i1 %29, label %32, label %30
30:                                               ; preds = %21
  %31 = ptrtoint ptr %28 to i64
  store atomic i64 %31, ptr %24 monotonic, align 8
  br label %32
32:                                               ; preds = %19, %30, %21, %5
  store atomic i64 0, ptr %0 monotonic, align 64
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %34 = ptrtoint ptr %1 to i64
  store atomic i64 %34, ptr %33 release, align 8
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store atomic i64 0, ptr %35 release, align 16
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %4, ptr %36 release, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %3, ptr %37 release, align 32
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 1, ptr %38 release, align 4
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 0, ptr %39 release, align 8
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 1, ptr %40 release, align 4
  store atomic i64 %10, ptr %0 release, align 64
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %42 = load i64, ptr %41, align 8
  %43 = icmp sgt i64 %42, 63
  br i1 %43, label %44, label %57
44:                                               ; preds = %32
  fence seq_cst
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %46 = load atomic i32, ptr %45 seq_cst, align 64
  %47 = icmp sgt i32 %46, 0
  br i1 %47, label %48, label %57
48:                                               ; preds = %44
  store i64 0, ptr %41, align 8
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %50 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %49) #14
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %52 = load i32, ptr %51, align 4
  %53 = add i32 %52, 1
  store i32 %53, ptr %51, align 4
  %54 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %49) #14
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %56 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %55) #14
  br label %57
57:                                               ; preds = %32, %44, %48
  store ptr %0, ptr %7, align 8
  %58 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store i64 %4, ptr %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store i64 %10, ptr %59, align 8
  %60 = getelementptr inbounds nuw i8, ptr %7, i64 24
  store i64 %10, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %62 = ptrtoint ptr %7 to i64
  %63 = or disjoint i64 %62, 1
  %64 = inttoptr i64 %63 to ptr
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %61, i8 0, i64 16, i1 false)
  %65 = call i32 %1(ptr noundef %2, ptr noundef nonnull %64) #14
  %66 = load i64, ptr %60, align 8
  store i64 %66, ptr %8, align 8
  %67 = load ptr, ptr %7, align 8
  %68 = getelementptr inbounds nuw i8, ptr %67, i64 328
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds nuw i8, ptr %69, i64 320
  %71 = load atomic i64, ptr %70 monotonic, align 64
  %72 = load i64, ptr %59, align 8
  %73 = shl i64 %72, 1
  %74 = icmp ugt i64 %71, %73
  br i1 %74, label %81, label %75
75:                                               ; preds = %57
  %76 = getelementptr inbounds nuw i8, ptr %69, i64 200
  %77 = atomicrmw xchg ptr %76, i64 %73 seq_cst, align 8
  %78 = load i64, ptr %59, align 8
  %79 = shl i64 %78, 1
  %80 = icmp ugt i64 %77, %79
  br i1 %80, label %81, label %120
81:                                               ; preds = %57, %75
  %82 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %83 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %84 = load ptr, ptr %82, align 8
  %85 = getelementptr inbounds nuw i8, ptr %84, i64 328
  %86 = load atomic i64, ptr %85 acquire, align 8
  %87 = icmp eq i64 %86, %10
  br i1 %87, label %113, label %131
88:                                               ; preds = %109, %17
  %89 = phi i64 [ 0, %17 ], [ %110, %109 ]
  %90 = phi i64 [ 0, %17 ], [ %111, %109 ]
  %91 = getelementptr inbounds nuw ptr, ptr %13, i64 %89
  %92 = load atomic i64, ptr %91 monotonic, align 8
  %93 = inttoptr i64 %92 to ptr
  %94 = getelementptr inbounds nuw ptr, ptr %2, i64 %89
  %95 = load ptr, ptr %94, align 8
  %96 = icmp eq ptr %95, %93
  br i1 %96, label %99, label %97
97:                                               ; preds = %88
  %98 = ptrtoint ptr %95 to i64
  store atomic i64 %98, ptr %91 monotonic, align 8
  br label %99
99:                                               ; preds = %88, %97
  %100 = or disjoint i64 %89, 1
  %101 = getelementptr inbounds nuw ptr, ptr %13, i64 %100
  %102 = load atomic i64, ptr %101 monotonic, align 8
  %103 = inttoptr i64 %102 to ptr
  %104 = getelementptr inbounds nuw ptr, ptr %2, i64 %100
  %105 = load ptr, ptr %104, align 8
  %106 = icmp eq ptr %105, %103
  br i1 %106, label %109, label %107
107:                                              ; preds = %99
  %108 = ptrtoint ptr %105 to i64
  store atomic i64 %108, ptr %101 monotonic, align 8
  br label %109
109:                                              ; preds = %107, %99
  %110 = add nuw nsw i64 %89, 2
  %111 = add i64 %90, 2
  %112 = icmp eq i64 %111, %18
  br i1 %112, label %19, label %88
113:                                              ; preds = %150, %81
  %114 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store i32 0, ptr %114, align 8
  %115 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %116 = load i32, ptr %115, align 4
  %117 = icmp sgt i32 %116, 4
  %118 = sext i1 %117 to i32
  %119 = add i32 %116, %118
  store i32 %119, ptr %115, align 4
  br label %130
120:                                              ; preds = %75
  %121 = getelementptr inbounds nuw i8, ptr %0, i64 552
  %122 = load i32, ptr %121, align 8
  %123 = add nsw i32 %122, 1
  store i32 %123, ptr %121, align 8
  %124 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %125 = load i32, ptr %124, align 4
  %126 = icmp slt i32 %123, %125
  br i1 %126, label %130, label %127
127:                                              ; preds = %120
  store i32 0, ptr %121, align 8
  %128 = call i32 @llvm.smin.i32(i32 %125, i32 32)
  %129 = shl i32 %128, 1
  store i32 %129, ptr %124, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %130
130:                                              ; preds = %113, %120, %127
  ret i32 %65
131:                                              ; preds = %81, %150
  %132 = phi i32 [ %134, %150 ], [ 0, %81 ]
  %133 = phi i64 [ %151, %150 ], [ 0, %81 ]
  call void @llvm.x86.sse2.pause()
  %134 = add i32 %132, 1
  %135 = and i32 %134, 63
  %136 = icmp eq i32 %135, 0
  br i1 %136, label %137, label %150
137:                                              ; preds = %131
  %138 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %139 = load i64, ptr %6, align 8
  %140 = mul nsw i64 %139, 1000000000
  %141 = load i64, ptr %83, align 8
  %142 = add nsw i64 %140, %141
  %143 = icmp ne i32 %134, 64
  %144 = select i1 %143, i64 %133, i64 %142
  %145 = sub i64 %142, %133
  %146 = icmp sgt i64 %145, 50000
  %147 = select i1 %143, i1 %146, i1 false
  br i1 %147, label %148, label %150
148:                                              ; preds = %137
  %149 = call i32 @sched_yield() #14
  br label %150
150:                                              ; preds = %131, %137, %148
  %151 = phi i64 [ %144, %148 ], [ %144, %137 ], [ %133, %131 ]
  %152 = load ptr, ptr %82, align 8
  %153 = getelementptr inbounds nuw i8, ptr %152, i64 328
  %154 = load atomic i64, ptr %153 acquire, align 8
  %155 = icmp eq i64 %154, %10
  br i1 %155, label %113, label %131
}
define range(i32 0, 2) i32 @ingot_pool_turn(ptr noundef %0) local_unnamed_addr #11 {
  %2 = ptrtoint ptr %0 to i64
  %3 = and i64 %2, 1
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %16, label %5
5:                                                ; preds = %1
  %6 = add nsw i64 %2, -1
  %7 = inttoptr i64 %6 to ptr
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %9, 1
  store i64 %10, ptr %8, align 8
  %11 = getelementptr inbounds nuw i8, ptr %7, i64 32
  store i64 %10, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %13, 0
  %15 = zext i1 %14 to i32
  br label %16
16:                                               ; preds = %5, %1
  %17 = phi i32 [ 1, %1 ], [ %15, %5 ]
  ret i32 %17
}
define void @ingot_pool_pass(ptr noundef %0) local_unnamed_addr #12 {
  %2 = ptrtoint ptr %0 to i64
  %3 = and i64 %2, 1
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %19, label %5
5:                                                ; preds = %1
  %6 = add nsw i64 %2, -1
  %7 = inttoptr i64 %6 to ptr
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %9 = load i64, ptr %8, align 8
  %10 = shl i64 %9, 1
  %11 = load ptr, ptr %7, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 328
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %15 = load i32, ptr %14, align 8
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds %struct.share, ptr %13, i64 %16
  %18 = getelementptr inbounds nuw i8, ptr %17, i64 128
  store atomic i64 %10, ptr %18 release, align 64
  br label %19
19:                                               ; preds = %5, %1
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #6
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #6
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #6
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #6
declare void @free(ptr noundef) local_unnamed_addr #13
declare i32 @sched_yield() local_unnamed_addr #6
declare void @llvm.x86.sse2.pause() #14
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca [32 x ptr], align 16
  %3 = alloca %struct.member, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %6 = load ptr, ptr %5, align 16
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %8 = load atomic i32, ptr %7 seq_cst, align 16
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %295
10:                                               ; preds = %1
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %12 = getelementptr inbounds nuw i8, ptr %6, i64 360
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 320
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 356
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 400
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 36
  %21 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 44
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %25 = getelementptr inbounds nuw i8, ptr %6, i64 328
  %26 = getelementptr inbounds nuw i8, ptr %6, i64 324
  %27 = getelementptr inbounds nuw i8, ptr %6, i64 448
  %28 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %29 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %30 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 44
  %35 = ptrtoint ptr %3 to i64
  %36 = or disjoint i64 %35, 1
  %37 = inttoptr i64 %36 to ptr
  br label %38
38:                                               ; preds = %10, %291
  %39 = phi i64 [ 0, %10 ], [ %292, %291 ]
  %40 = load atomic i64, ptr %6 seq_cst, align 64
  %41 = icmp eq i64 %40, 0
  %42 = icmp eq i64 %40, %39
  %43 = or i1 %41, %42
  br i1 %43, label %44, label %94
44:                                               ; preds = %38, %87
  %45 = phi i32 [ %89, %87 ], [ 0, %38 ]
  %46 = phi i64 [ %88, %87 ], [ 0, %38 ]
  %47 = load atomic i32, ptr %7 monotonic, align 16
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %49, label %94
49:                                               ; preds = %44
  call void @llvm.x86.sse2.pause()
  %50 = add i32 %45, 1
  %51 = and i32 %50, 63
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %53, label %87
53:                                               ; preds = %49
  %54 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #14
  %55 = load i64, ptr %4, align 8
  %56 = mul nsw i64 %55, 1000000000
  %57 = load i64, ptr %11, align 8
  %58 = add nsw i64 %56, %57
  %59 = icmp ne i32 %50, 64
  %60 = select i1 %59, i64 %46, i64 %58
  %61 = sub i64 %58, %46
  %62 = icmp sgt i64 %61, 50000
  %63 = select i1 %59, i1 %62, i1 false
  br i1 %63, label %64, label %87
64:                                               ; preds = %53
  %65 = call i32 @sched_yield() #14
  %66 = sub nsw i64 %58, %60
  %67 = icmp sgt i64 %66, 999999
  br i1 %67, label %68, label %87
68:                                               ; preds = %64
  %69 = call i32 @pthread_mutex_lock(ptr noundef nonnull %12) #14
  %70 = atomicrmw add ptr %13, i32 1 seq_cst, align 64
  %71 = load i32, ptr %14, align 4
  br label %72
72:                                               ; preds = %80, %68
  %73 = load atomic i64, ptr %6 seq_cst, align 64
  %74 = icmp eq i64 %73, 0
  %75 = icmp eq i64 %73, %39
  %76 = or i1 %74, %75
  br i1 %76, label %77, label %84
77:                                               ; preds = %72
  %78 = load atomic i32, ptr %7 monotonic, align 16
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %80, label %84
80:                                               ; preds = %77
  %81 = call i32 @pthread_cond_wait(ptr noundef nonnull %15, ptr noundef nonnull %12) #14
  %82 = load i32, ptr %14, align 4
  %83 = icmp eq i32 %82, %71
  br i1 %83, label %72, label %84
84:                                               ; preds = %72, %77, %80
  %85 = atomicrmw sub ptr %13, i32 1 seq_cst, align 64
  %86 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %12) #14
  br label %87
87:                                               ; preds = %53, %49, %84, %64
  %88 = phi i64 [ 0, %84 ], [ %60, %64 ], [ %46, %49 ], [ %60, %53 ]
  %89 = phi i32 [ 0, %84 ], [ %50, %64 ], [ %50, %49 ], [ %50, %53 ]
  %90 = load atomic i64, ptr %6 seq_cst, align 64
  %91 = icmp eq i64 %90, 0
  %92 = icmp eq i64 %90, %39
  %93 = or i1 %91, %92
  br i1 %93, label %44, label %94
94:                                               ; preds = %44, %87, %38
  %95 = load atomic i32, ptr %7 seq_cst, align 16
  %96 = icmp eq i32 %95, 0
  br i1 %96, label %97, label %291
97:                                               ; preds = %94
  %98 = load atomic i64, ptr %6 acquire, align 64
  %99 = load atomic i64, ptr %16 acquire, align 8
  %100 = inttoptr i64 %99 to ptr
  %101 = load atomic i64, ptr %17 acquire, align 16
  %102 = inttoptr i64 %101 to ptr
  %103 = load atomic i64, ptr %18 acquire, align 8
  %104 = load atomic i32, ptr %19 acquire, align 32
  %105 = load atomic i32, ptr %20 acquire, align 4
  %106 = load atomic i32, ptr %21 acquire, align 8
  %107 = load atomic i32, ptr %22 acquire, align 4
  %108 = icmp eq i64 %98, 0
  br i1 %108, label %291, label %109
109:                                              ; preds = %97
  %110 = load atomic i64, ptr %6 monotonic, align 64
  %111 = icmp eq i64 %110, %98
  br i1 %111, label %112, label %291
112:                                              ; preds = %109
  %113 = icmp eq i32 %106, 0
  br i1 %113, label %114, label %177
114:                                              ; preds = %112
  %115 = icmp eq i32 %104, 0
  br i1 %115, label %137, label %116
116:                                              ; preds = %114
  %117 = zext i32 %104 to i64
  %118 = and i64 %117, 3
  %119 = icmp ult i32 %104, 4
  br i1 %119, label %124, label %120
120:                                              ; preds = %116
  %121 = and i64 %117, 4294967292
  br label %143
122:                                              ; preds = %143
  %123 = icmp eq i64 %118, 0
  br i1 %123, label %137, label %124
124:                                              ; preds = %122, %116
  %125 = phi i64 [ 0, %116 ], [ %165, %122 ]
  %126 = icmp ne i64 %118, 0
  call void @llvm.assume(i1 %126)
  br label %127
127:                                              ; preds = %127, %124
  %128 = phi i64 [ %125, %124 ], [ %134, %127 ]
  %129 = phi i64 [ 0, %124 ], [ %135, %127 ]
  %130 = getelementptr inbounds nuw ptr, ptr %28, i64 %128
  %131 = load atomic i64, ptr %130 monotonic, align 8
  %132 = inttoptr i64 %131 to ptr
  %133 = getelementptr inbounds nuw ptr, ptr %2, i64 %128
  store ptr %132, ptr %133, align 8
  %134 = add nuw nsw i64 %128, 1
  %135 = add i64 %129, 1
  %136 = icmp eq i64 %135, %118
  br i1 %136, label %137, label %127
137:                                              ; preds = %122, %127, %114
  %138 = load ptr, ptr %25, align 8
  %139 = getelementptr inbounds nuw i8, ptr %138, i64 200
  %140 = load atomic i64, ptr %139 monotonic, align 8
  %141 = shl i64 %98, 1
  %142 = icmp ult i64 %140, %141
  br i1 %142, label %168, label %176
143:                                              ; preds = %143, %120
  %144 = phi i64 [ 0, %120 ], [ %165, %143 ]
  %145 = phi i64 [ 0, %120 ], [ %166, %143 ]
  %146 = getelementptr inbounds nuw ptr, ptr %28, i64 %144
  %147 = load atomic i64, ptr %146 monotonic, align 8
  %148 = inttoptr i64 %147 to ptr
  %149 = getelementptr inbounds nuw ptr, ptr %2, i64 %144
  store ptr %148, ptr %149, align 16
  %150 = or disjoint i64 %144, 1
  %151 = getelementptr inbounds nuw ptr, ptr %28, i64 %150
  %152 = load atomic i64, ptr %151 monotonic, align 8
  %153 = inttoptr i64 %152 to ptr
  %154 = getelementptr inbounds nuw ptr, ptr %2, i64 %150
  store ptr %153, ptr %154, align 8
  %155 = or disjoint i64 %144, 2
  %156 = getelementptr inbounds nuw ptr, ptr %28, i64 %155
  %157 = load atomic i64, ptr %156 monotonic, align 8
  %158 = inttoptr i64 %157 to ptr
  %159 = getelementptr inbounds nuw ptr, ptr %2, i64 %155
  store ptr %158, ptr %159, align 16
  %160 = or disjoint i64 %144, 3
  %161 = getelementptr inbounds nuw ptr, ptr %28, i64 %160
  %162 = load atomic i64, ptr %161 monotonic, align 8
  %163 = inttoptr i64 %162 to ptr
  %164 = getelementptr inbounds nuw ptr, ptr %2, i64 %160
  store ptr %163, ptr %164, align 8
  %165 = add nuw nsw i64 %144, 4
  %166 = add i64 %145, 4
  %167 = icmp eq i64 %166, %121
  br i1 %167, label %122, label %143
168:                                              ; preds = %137
  %169 = or disjoint i64 %141, 1
  %170 = cmpxchg ptr %139, i64 %140, i64 %169 seq_cst seq_cst, align 8
  %171 = extractvalue { i64, i1 } %170, 1
  br i1 %171, label %172, label %176
172:                                              ; preds = %168
  store ptr %6, ptr %3, align 8
  store i64 %103, ptr %29, align 8
  store i64 %98, ptr %30, align 8
  store i64 %98, ptr %31, align 8
  store i64 0, ptr %32, align 8
  store i32 1, ptr %33, align 8
  store i32 0, ptr %34, align 4
  %173 = call i32 %100(ptr noundef nonnull %2, ptr noundef nonnull %37) #14
  %174 = load ptr, ptr %25, align 8
  %175 = getelementptr inbounds nuw i8, ptr %174, i64 328
  store atomic i64 %98, ptr %175 release, align 8
  br label %176
176:                                              ; preds = %137, %168, %172
  br label %291
177:                                              ; preds = %112
  %178 = load i32, ptr %23, align 8
  %179 = srem i32 %178, %106
  %180 = sext i32 %179 to i64
  %181 = icmp eq i32 %179, 0
  %182 = zext i1 %181 to i32
  %183 = shl i64 %98, 16
  %184 = or disjoint i64 %183, 1
  %185 = mul nsw i32 %179, %107
  %186 = add i32 %105, -1
  br label %187
187:                                              ; preds = %207, %177
  %188 = load ptr, ptr %25, align 8
  %189 = getelementptr inbounds %struct.share, ptr %188, i64 %180
  %190 = load atomic i64, ptr %189 acquire, align 64
  br label %191
191:                                              ; preds = %201, %187
  %192 = phi i64 [ %190, %187 ], [ %206, %201 ]
  %193 = lshr i64 %192, 16
  %194 = icmp eq i64 %193, %98
  %195 = trunc i64 %192 to i32
  %196 = and i32 %195, 65535
  %197 = select i1 %194, i32 %196, i32 %182
  %198 = icmp ule i64 %193, %98
  %199 = icmp slt i32 %197, %107
  %200 = select i1 %198, i1 %199, i1 false
  br i1 %200, label %201, label %226
201:                                              ; preds = %191
  %202 = zext nneg i32 %197 to i64
  %203 = add i64 %184, %202
  %204 = cmpxchg weak ptr %189, i64 %192, i64 %203 seq_cst seq_cst, align 64
  %205 = extractvalue { i64, i1 } %204, 1
  %206 = extractvalue { i64, i1 } %204, 0
  br i1 %205, label %207, label %191
207:                                              ; preds = %201
  %208 = add nsw i32 %197, %185
  %209 = zext i32 %208 to i64
  %210 = mul nsw i64 %103, %209
  %211 = mul i32 %208, %104
  %212 = add i32 %211, %186
  %213 = udiv i32 %212, %105
  %214 = zext i32 %213 to i64
  %215 = add nsw i64 %210, %214
  %216 = add i32 %208, 1
  %217 = zext i32 %216 to i64
  %218 = mul nsw i64 %103, %217
  %219 = mul i32 %216, %104
  %220 = add i32 %219, %186
  %221 = udiv i32 %220, %105
  %222 = zext i32 %221 to i64
  %223 = add nsw i64 %218, %222
  call void %100(ptr noundef %102, i64 noundef %215, i64 noundef %223) #14
  %224 = load atomic i64, ptr %24 monotonic, align 8
  %225 = add nsw i64 %224, 1
  store atomic i64 %225, ptr %24 release, align 8
  br label %187
226:                                              ; preds = %191
  %227 = icmp sgt i32 %106, 1
  br i1 %227, label %228, label %284
228:                                              ; preds = %226
  %229 = icmp slt i32 %107, 2
  br label %230
230:                                              ; preds = %228, %281
  %231 = phi i32 [ %282, %281 ], [ 1, %228 ]
  %232 = add nsw i32 %231, %179
  %233 = icmp slt i32 %232, %106
  %234 = select i1 %233, i32 0, i32 %106
  %235 = icmp eq i32 %232, %234
  %236 = select i1 %235, i1 %229, i1 false
  br i1 %236, label %281, label %237
237:                                              ; preds = %230
  %238 = sub nsw i32 %232, %234
  %239 = sext i32 %238 to i64
  %240 = zext i1 %235 to i32
  %241 = mul nsw i32 %238, %107
  br label %242
242:                                              ; preds = %262, %237
  %243 = load ptr, ptr %25, align 8
  %244 = getelementptr inbounds %struct.share, ptr %243, i64 %239
  %245 = load atomic i64, ptr %244 acquire, align 64
  br label %246
246:                                              ; preds = %256, %242
  %247 = phi i64 [ %245, %242 ], [ %261, %256 ]
  %248 = lshr i64 %247, 16
  %249 = icmp eq i64 %248, %98
  %250 = trunc i64 %247 to i32
  %251 = and i32 %250, 65535
  %252 = select i1 %249, i32 %251, i32 %240
  %253 = icmp ule i64 %248, %98
  %254 = icmp slt i32 %252, %107
  %255 = select i1 %253, i1 %254, i1 false
  br i1 %255, label %256, label %281
256:                                              ; preds = %246
  %257 = zext nneg i32 %252 to i64
  %258 = add i64 %184, %257
  %259 = cmpxchg weak ptr %244, i64 %247, i64 %258 seq_cst seq_cst, align 64
  %260 = extractvalue { i64, i1 } %259, 1
  %261 = extractvalue { i64, i1 } %259, 0
  br i1 %260, label %262, label %246
262:                                              ; preds = %256
  %263 = add nsw i32 %252, %241
  %264 = zext i32 %263 to i64
  %265 = mul nsw i64 %103, %264
  %266 = mul i32 %263, %104
  %267 = add i32 %266, %186
  %268 = udiv i32 %267, %105
  %269 = zext i32 %268 to i64
  %270 = add nsw i64 %265, %269
  %271 = add i32 %263, 1
  %272 = zext i32 %271 to i64
  %273 = mul nsw i64 %103, %272
  %274 = mul i32 %271, %104
  %275 = add i32 %274, %186
  %276 = udiv i32 %275, %105
  %277 = zext i32 %276 to i64
  %278 = add nsw i64 %273, %277
  call void %100(ptr noundef %102, i64 noundef %270, i64 noundef %278) #14
  %279 = load atomic i64, ptr %24 monotonic, align 8
  %280 = add nsw i64 %279, 1
  store atomic i64 %280, ptr %24 release, align 8
  br label %242
281:                                              ; preds = %246, %230
  %282 = add nuw nsw i32 %231, 1
  %283 = icmp eq i32 %282, %106
  br i1 %283, label %284, label %230
284:                                              ; preds = %281, %226
  fence seq_cst
  %285 = load atomic i32, ptr %26 seq_cst, align 4
  %286 = icmp eq i32 %285, 0
  br i1 %286, label %291, label %287
287:                                              ; preds = %284
  %288 = call i32 @pthread_mutex_lock(ptr noundef nonnull %12) #14
  %289 = call i32 @pthread_cond_signal(ptr noundef nonnull %27) #14
  %290 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %12) #14
  br label %291
291:                                              ; preds = %97, %94, %109, %287, %284, %176
  %292 = phi i64 [ %98, %176 ], [ %39, %94 ], [ %39, %109 ], [ %98, %287 ], [ %98, %284 ], [ %39, %97 ]
  %293 = load atomic i32, ptr %7 seq_cst, align 16
  %294 = icmp eq i32 %293, 0
  br i1 %294, label %38, label %295
295:                                              ; preds = %291, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #7
define internal fastcc void @send_away(ptr noundef nonnull readonly %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.cpu_set_t, align 8
  %4 = tail call i32 @sched_getcpu() #14
  %5 = icmp ugt i32 %4, 1023
  br i1 %5, label %49, label %6
6:                                                ; preds = %1
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %8 = load i32, ptr %7, align 32
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %49
10:                                               ; preds = %6
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 496
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
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #14
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #14
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
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #14
  %40 = load ptr, ptr %11, align 16
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #14
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #15 {
  ret void
}
define internal fastcc void @wait_for_workers(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 328
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
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #14
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
  %47 = call i32 @sched_yield() #14
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #14
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 324
  store atomic i32 1, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 448
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
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #14
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #14
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #6
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @llvm.smin.i32(i32, i32) #16
declare i64 @llvm.smin.i64(i64, i64) #16
declare i64 @llvm.smax.i64(i64, i64) #16
declare i32 @llvm.umin.i32(i32, i32) #16
declare i64 @llvm.umin.i64(i64, i64) #16
declare i64 @llvm.umax.i64(i64, i64) #16
declare void @llvm.assume(i1 noundef) #17
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
attributes #15 = { nounwind }
attributes #16 = { nounwind }
attributes #17 = { nounwind }
attributes #18 = { nounwind }
