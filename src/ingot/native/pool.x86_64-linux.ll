; 958843566696bedf398f9c764a46c2b442bce513a07993f0cfdfa99023400c01
; Made from pool.c, pool_loop.h, pool_costs.h, pool_team.h, pool_ways.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.timespec = type { i64, i64 }
%struct.share = type { i64, i64, [48 x i8], i64, i32, ptr, [40 x i8], i64, i64, [48 x i8] }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.times = type { ptr, i64, [3 x i64], [3 x i64] }
%struct.member = type { ptr, i64, i64, i64, i64, i32 }
%struct.cpu_set_t = type { [16 x i64] }
@__const.stand_by.nap = private unnamed_addr constant %struct.timespec { i64 0, i64 100000 }, align 8
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
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #19
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
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 52
  store atomic i32 1, ptr %9 seq_cst, align 4
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
  %8 = icmp slt i64 %3, 1
  br i1 %8, label %394, label %9
9:                                                ; preds = %5
  %10 = icmp sgt i64 %4, 1
  br i1 %10, label %11, label %13
11:                                               ; preds = %9
  %12 = udiv i64 %3, %4
  br label %13
13:                                               ; preds = %9, %11
  %14 = phi i64 [ %12, %11 ], [ %3, %9 ]
  %15 = ptrtoint ptr %0 to i64
  %16 = and i64 %15, 1
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %308, label %18
18:                                               ; preds = %13
  %19 = add nsw i64 %15, -1
  %20 = inttoptr i64 %19 to ptr
  %21 = icmp slt i64 %4, 0
  br i1 %21, label %22, label %28
22:                                               ; preds = %18
  %23 = sub nsw i64 0, %4
  %24 = udiv i64 9223372036854775807, %23
  %25 = icmp samesign ult i64 %3, %24
  %26 = mul nuw nsw i64 %3, %23
  %27 = select i1 %25, i64 %26, i64 9223372036854775807
  br label %32
28:                                               ; preds = %18
  %29 = icmp samesign ugt i64 %4, 1
  br i1 %29, label %30, label %32
30:                                               ; preds = %28
  %31 = udiv i64 %3, %4
  br label %32
32:                                               ; preds = %22, %28, %30
  %33 = phi i64 [ %27, %22 ], [ %31, %30 ], [ 9223372036854775807, %28 ]
  %34 = icmp samesign ult i64 %14, 2
  br i1 %34, label %39, label %35
35:                                               ; preds = %32
  %36 = getelementptr inbounds nuw i8, ptr %20, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = icmp slt i64 %33, %37
  br i1 %38, label %39, label %57
39:                                               ; preds = %35, %32
  %40 = getelementptr inbounds nuw i8, ptr %20, i64 24
  %41 = load i64, ptr %40, align 8
  %42 = add i64 %41, 1
  store i64 %42, ptr %40, align 8
  %43 = getelementptr inbounds nuw i8, ptr %20, i64 32
  store i64 %42, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %20, i64 40
  %45 = load i32, ptr %44, align 8
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %47, label %394
47:                                               ; preds = %39
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #14
  %48 = load i64, ptr %40, align 8
  %49 = shl i64 %48, 1
  %50 = load ptr, ptr %20, align 8
  %51 = getelementptr inbounds nuw i8, ptr %50, i64 328
  %52 = load ptr, ptr %51, align 8
  %53 = load i32, ptr %44, align 8
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds %struct.share, ptr %52, i64 %54
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 128
  store atomic i64 %49, ptr %56 release, align 64
  br label %394
57:                                               ; preds = %35
  %58 = load ptr, ptr %20, align 8
  %59 = getelementptr inbounds nuw i8, ptr %20, i64 24
  %60 = load i64, ptr %59, align 8
  %61 = add i64 %60, 1
  store i64 %61, ptr %59, align 8
  %62 = getelementptr inbounds nuw i8, ptr %20, i64 40
  %63 = load i32, ptr %62, align 8
  %64 = icmp eq i32 %63, 0
  br i1 %64, label %72, label %65
65:                                               ; preds = %57
  %66 = getelementptr inbounds nuw i8, ptr %20, i64 32
  %67 = load i64, ptr %66, align 8
  %68 = icmp eq i64 %67, 0
  br i1 %68, label %72, label %69
69:                                               ; preds = %65
  tail call fastcc void @wait_for_other(ptr noundef nonnull %20, i64 noundef %67)
  store i64 0, ptr %66, align 8
  %70 = load i32, ptr %62, align 8
  %71 = icmp eq i32 %70, 0
  br label %72
72:                                               ; preds = %69, %65, %57
  %73 = phi i1 [ %71, %69 ], [ false, %65 ], [ true, %57 ]
  %74 = lshr i64 %33, 2
  %75 = tail call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %14, i64 %74)
  %76 = lshr i64 %75, 1
  %77 = tail call i64 @llvm.umax.i64(i64 %76, i64 1)
  %78 = tail call i64 @llvm.umin.i64(i64 %77, i64 8)
  %79 = trunc nuw nsw i64 %78 to i32
  %80 = shl nuw nsw i32 %79, 1
  %81 = zext nneg i32 %80 to i64
  %82 = udiv i64 %3, %81
  %83 = urem i64 %3, %81
  %84 = trunc nuw nsw i64 %83 to i32
  br i1 %73, label %85, label %139
85:                                               ; preds = %72
  %86 = add nsw i32 %80, -1
  %87 = trunc nuw nsw i32 %86 to i8
  %88 = trunc nuw nsw i32 %80 to i8
  %89 = udiv i8 %87, %88
  %90 = zext nneg i8 %89 to i64
  %91 = add nuw nsw i32 %86, %84
  %92 = trunc nuw nsw i32 %91 to i8
  %93 = udiv i8 %92, %88
  %94 = zext nneg i8 %93 to i64
  %95 = add nuw nsw i64 %82, %94
  tail call void %1(ptr noundef %2, i64 noundef %90, i64 noundef %95) #14
  %96 = icmp samesign ugt i64 %75, 3
  br i1 %96, label %97, label %183
97:                                               ; preds = %85
  %98 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %99 = shl i64 %61, 16
  %100 = or disjoint i64 %99, 1
  br label %101
101:                                              ; preds = %121, %97
  %102 = phi i32 [ 0, %97 ], [ %136, %121 ]
  %103 = load ptr, ptr %98, align 8
  %104 = load atomic i64, ptr %103 acquire, align 64
  br label %105
105:                                              ; preds = %115, %101
  %106 = phi i64 [ %104, %101 ], [ %120, %115 ]
  %107 = lshr i64 %106, 16
  %108 = icmp eq i64 %107, %61
  %109 = trunc i64 %106 to i32
  %110 = and i32 %109, 65535
  %111 = select i1 %108, i32 %110, i32 1
  %112 = icmp ule i64 %107, %61
  %113 = icmp samesign ult i32 %111, %79
  %114 = select i1 %112, i1 %113, i1 false
  br i1 %114, label %115, label %137
115:                                              ; preds = %105
  %116 = zext nneg i32 %111 to i64
  %117 = add nuw i64 %100, %116
  %118 = cmpxchg weak ptr %103, i64 %106, i64 %117 seq_cst seq_cst, align 64
  %119 = extractvalue { i64, i1 } %118, 1
  %120 = extractvalue { i64, i1 } %118, 0
  br i1 %119, label %121, label %105
121:                                              ; preds = %115
  %122 = mul nuw nsw i64 %82, %116
  %123 = mul nuw nsw i32 %111, %84
  %124 = add nuw nsw i32 %123, %86
  %125 = udiv i32 %124, %80
  %126 = zext nneg i32 %125 to i64
  %127 = add nuw nsw i64 %122, %126
  %128 = add nuw nsw i32 %111, 1
  %129 = zext nneg i32 %128 to i64
  %130 = mul nuw nsw i64 %82, %129
  %131 = mul nuw nsw i32 %128, %84
  %132 = add nuw nsw i32 %131, %86
  %133 = udiv i32 %132, %80
  %134 = zext nneg i32 %133 to i64
  %135 = add nuw nsw i64 %130, %134
  tail call void %1(ptr noundef %2, i64 noundef %127, i64 noundef %135) #14
  %136 = add nuw nsw i32 %102, 1
  br label %101
137:                                              ; preds = %105
  %138 = add nuw nsw i32 %102, 1
  br label %183
139:                                              ; preds = %72
  %140 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %141 = shl i64 %61, 16
  %142 = or disjoint i64 %141, 1
  %143 = add nsw i32 %80, -1
  br label %144
144:                                              ; preds = %165, %139
  %145 = phi i32 [ 0, %139 ], [ %182, %165 ]
  %146 = load ptr, ptr %140, align 8
  %147 = getelementptr inbounds nuw i8, ptr %146, i64 192
  %148 = load atomic i64, ptr %147 acquire, align 64
  br label %149
149:                                              ; preds = %159, %144
  %150 = phi i64 [ %148, %144 ], [ %164, %159 ]
  %151 = lshr i64 %150, 16
  %152 = icmp eq i64 %151, %61
  %153 = trunc i64 %150 to i32
  %154 = and i32 %153, 65535
  %155 = select i1 %152, i32 %154, i32 0
  %156 = icmp ule i64 %151, %61
  %157 = icmp samesign ult i32 %155, %79
  %158 = select i1 %156, i1 %157, i1 false
  br i1 %158, label %159, label %183
159:                                              ; preds = %149
  %160 = zext nneg i32 %155 to i64
  %161 = add nuw i64 %142, %160
  %162 = cmpxchg weak ptr %147, i64 %150, i64 %161 seq_cst seq_cst, align 64
  %163 = extractvalue { i64, i1 } %162, 1
  %164 = extractvalue { i64, i1 } %162, 0
  br i1 %163, label %165, label %149
165:                                              ; preds = %159
  %166 = add nuw nsw i32 %155, %79
  %167 = zext nneg i32 %166 to i64
  %168 = mul nuw nsw i64 %82, %167
  %169 = mul nuw nsw i32 %166, %84
  %170 = add nuw nsw i32 %169, %143
  %171 = udiv i32 %170, %80
  %172 = zext nneg i32 %171 to i64
  %173 = add nuw nsw i64 %168, %172
  %174 = add nuw nsw i32 %166, 1
  %175 = zext nneg i32 %174 to i64
  %176 = mul nuw nsw i64 %82, %175
  %177 = mul nuw nsw i32 %174, %84
  %178 = add nuw nsw i32 %177, %143
  %179 = udiv i32 %178, %80
  %180 = zext nneg i32 %179 to i64
  %181 = add nuw nsw i64 %176, %180
  tail call void %1(ptr noundef %2, i64 noundef %173, i64 noundef %181) #14
  %182 = add nuw nsw i32 %145, 1
  br label %144
183:                                              ; preds = %149, %137, %85
  %184 = phi i32 [ 1, %85 ], [ %138, %137 ], [ %145, %149 ]
  %185 = shl i64 %61, 1
  %186 = load ptr, ptr %20, align 8
  %187 = getelementptr inbounds nuw i8, ptr %186, i64 328
  %188 = load ptr, ptr %187, align 8
  %189 = load i32, ptr %62, align 8
  %190 = sext i32 %189 to i64
  %191 = getelementptr inbounds %struct.share, ptr %188, i64 %190
  %192 = getelementptr inbounds nuw i8, ptr %191, i64 128
  store atomic i64 %185, ptr %192 release, align 64
  %193 = load i32, ptr %62, align 8
  %194 = icmp eq i32 %193, 0
  br i1 %194, label %195, label %205
195:                                              ; preds = %183
  %196 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %197 = load ptr, ptr %196, align 8
  %198 = getelementptr inbounds nuw i8, ptr %197, i64 320
  %199 = load atomic i64, ptr %198 monotonic, align 64
  %200 = getelementptr inbounds nuw i8, ptr %20, i64 16
  %201 = load i64, ptr %200, align 8
  %202 = shl i64 %201, 1
  %203 = icmp ugt i64 %199, %202
  %204 = select i1 %203, i32 64, i32 8
  br label %205
205:                                              ; preds = %195, %183
  %206 = phi i32 [ %204, %195 ], [ 64, %183 ]
  br label %207
207:                                              ; preds = %205, %230
  %208 = phi i32 [ %231, %230 ], [ %206, %205 ]
  %209 = load ptr, ptr %20, align 8
  %210 = getelementptr inbounds nuw i8, ptr %209, i64 328
  %211 = load ptr, ptr %210, align 8
  %212 = load i32, ptr %62, align 8
  %213 = sub nsw i32 1, %212
  %214 = sext i32 %213 to i64
  %215 = getelementptr inbounds %struct.share, ptr %211, i64 %214
  %216 = getelementptr inbounds nuw i8, ptr %215, i64 128
  %217 = load atomic i64, ptr %216 acquire, align 64
  %218 = icmp ult i64 %217, %185
  br i1 %218, label %230, label %219
219:                                              ; preds = %230, %207
  %220 = load ptr, ptr %20, align 8
  %221 = getelementptr inbounds nuw i8, ptr %220, i64 328
  %222 = load ptr, ptr %221, align 8
  %223 = load i32, ptr %62, align 8
  %224 = sub nsw i32 1, %223
  %225 = sext i32 %224 to i64
  %226 = getelementptr inbounds %struct.share, ptr %222, i64 %225
  %227 = getelementptr inbounds nuw i8, ptr %226, i64 128
  %228 = load atomic i64, ptr %227 acquire, align 64
  %229 = icmp ult i64 %228, %185
  br i1 %229, label %233, label %304
230:                                              ; preds = %207
  tail call void @llvm.x86.sse2.pause()
  %231 = add nsw i32 %208, -1
  %232 = icmp sgt i32 %208, 1
  br i1 %232, label %207, label %219
233:                                              ; preds = %219
  %234 = load i32, ptr %62, align 8
  %235 = icmp eq i32 %234, 0
  %236 = icmp samesign ugt i64 %75, 3
  %237 = select i1 %235, i1 true, i1 %236
  br i1 %237, label %238, label %304
238:                                              ; preds = %233
  %239 = add i64 %185, -1
  %240 = load ptr, ptr %20, align 8
  %241 = getelementptr inbounds nuw i8, ptr %240, i64 328
  %242 = load ptr, ptr %241, align 8
  %243 = sext i32 %234 to i64
  %244 = getelementptr inbounds %struct.share, ptr %242, i64 %243
  %245 = getelementptr inbounds nuw i8, ptr %244, i64 128
  store atomic i64 %239, ptr %245 release, align 64
  %246 = load i32, ptr %62, align 8
  %247 = sub nsw i32 1, %246
  %248 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %249 = sext i32 %247 to i64
  %250 = icmp eq i32 %246, 1
  %251 = zext i1 %250 to i32
  %252 = shl i64 %61, 16
  %253 = or disjoint i64 %252, 1
  %254 = mul nsw i32 %247, %79
  %255 = add nsw i32 %80, -1
  br label %256
256:                                              ; preds = %277, %238
  %257 = phi i32 [ 0, %238 ], [ %294, %277 ]
  %258 = load ptr, ptr %248, align 8
  %259 = getelementptr inbounds %struct.share, ptr %258, i64 %249
  %260 = load atomic i64, ptr %259 acquire, align 64
  br label %261
261:                                              ; preds = %271, %256
  %262 = phi i64 [ %260, %256 ], [ %276, %271 ]
  %263 = lshr i64 %262, 16
  %264 = icmp eq i64 %263, %61
  %265 = trunc i64 %262 to i32
  %266 = and i32 %265, 65535
  %267 = select i1 %264, i32 %266, i32 %251
  %268 = icmp ule i64 %263, %61
  %269 = icmp samesign ult i32 %267, %79
  %270 = select i1 %268, i1 %269, i1 false
  br i1 %270, label %271, label %295
271:                                              ; preds = %261
  %272 = zext nneg i32 %267 to i64
  %273 = add nuw i64 %253, %272
  %274 = cmpxchg weak ptr %259, i64 %262, i64 %273 seq_cst seq_cst, align 64
  %275 = extractvalue { i64, i1 } %274, 1
  %276 = extractvalue { i64, i1 } %274, 0
  br i1 %275, label %277, label %261
277:                                              ; preds = %271
  %278 = add nsw i32 %267, %254
  %279 = zext i32 %278 to i64
  %280 = mul nuw nsw i64 %82, %279
  %281 = mul i32 %278, %84
  %282 = add i32 %281, %255
  %283 = udiv i32 %282, %80
  %284 = zext nneg i32 %283 to i64
  %285 = add nuw nsw i64 %280, %284
  %286 = add i32 %278, 1
  %287 = zext i32 %286 to i64
  %288 = mul nuw nsw i64 %82, %287
  %289 = mul i32 %286, %84
  %290 = add i32 %289, %255
  %291 = udiv i32 %290, %80
  %292 = zext nneg i32 %291 to i64
  %293 = add nuw nsw i64 %288, %292
  tail call void %1(ptr noundef %2, i64 noundef %285, i64 noundef %293) #14
  %294 = add nuw nsw i32 %257, 1
  br label %256
295:                                              ; preds = %261
  %296 = add nsw i32 %257, %184
  %297 = load ptr, ptr %20, align 8
  %298 = getelementptr inbounds nuw i8, ptr %297, i64 328
  %299 = load ptr, ptr %298, align 8
  %300 = load i32, ptr %62, align 8
  %301 = sext i32 %300 to i64
  %302 = getelementptr inbounds %struct.share, ptr %299, i64 %301
  %303 = getelementptr inbounds nuw i8, ptr %302, i64 128
  store atomic i64 %185, ptr %303 release, align 64
  br label %304
304:                                              ; preds = %295, %233, %219
  %305 = phi i32 [ %184, %219 ], [ %296, %295 ], [ %184, %233 ]
  %306 = icmp slt i32 %305, %80
  br i1 %306, label %307, label %394
307:                                              ; preds = %304
  tail call fastcc void @wait_for_other(ptr noundef nonnull %20, i64 noundef %61)
  br label %394
308:                                              ; preds = %13
  %309 = icmp eq ptr %0, null
  %310 = icmp samesign ult i64 %14, 2
  %311 = or i1 %309, %310
  br i1 %311, label %316, label %312
312:                                              ; preds = %308
  %313 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %314 = load i32, ptr %313, align 4
  %315 = icmp eq i32 %314, 1
  br i1 %315, label %316, label %317
316:                                              ; preds = %312, %308
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %394
317:                                              ; preds = %312
  %318 = tail call fastcc i32 @start(ptr noundef %0)
  %319 = icmp eq i32 %318, 0
  br i1 %319, label %324, label %320
320:                                              ; preds = %317
  %321 = getelementptr inbounds nuw i8, ptr %0, i64 512
  %322 = atomicrmw xchg ptr %321, i32 1 seq_cst, align 64
  %323 = icmp eq i32 %322, 0
  br i1 %323, label %325, label %324
324:                                              ; preds = %320, %317
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %394
325:                                              ; preds = %320
  %326 = getelementptr inbounds nuw i8, ptr %0, i64 564
  %327 = load i32, ptr %326, align 4
  %328 = add nsw i32 %327, -1
  store i32 %328, ptr %326, align 4
  %329 = icmp slt i32 %327, 2
  br i1 %329, label %330, label %331
330:                                              ; preds = %325
  tail call fastcc void @weigh(ptr noundef %0)
  br label %331
331:                                              ; preds = %330, %325
  %332 = icmp slt i64 %4, 0
  br i1 %332, label %333, label %339
333:                                              ; preds = %331
  %334 = sub nsw i64 0, %4
  %335 = udiv i64 9223372036854775807, %334
  %336 = icmp samesign ult i64 %3, %335
  %337 = mul nuw nsw i64 %3, %334
  %338 = select i1 %336, i64 %337, i64 9223372036854775807
  br label %343
339:                                              ; preds = %331
  %340 = icmp samesign ugt i64 %4, 1
  br i1 %340, label %341, label %343
341:                                              ; preds = %339
  %342 = udiv i64 %3, %4
  br label %343
343:                                              ; preds = %333, %339, %341
  %344 = phi i64 [ %338, %333 ], [ %342, %341 ], [ 9223372036854775807, %339 ]
  %345 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %346 = load i32, ptr %345, align 4
  %347 = icmp eq i32 %346, 3
  br i1 %347, label %348, label %351
348:                                              ; preds = %343
  %349 = getelementptr inbounds nuw i8, ptr %0, i64 600
  %350 = load i32, ptr %349, align 8
  br label %351
351:                                              ; preds = %348, %343
  %352 = phi i32 [ %350, %348 ], [ %346, %343 ]
  switch i32 %352, label %356 [
    i32 0, label %357
    i32 1, label %353
  ]
353:                                              ; preds = %351
  %354 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %355 = load i64, ptr %354, align 32
  br label %357
356:                                              ; preds = %351
  br label %357
357:                                              ; preds = %351, %353, %356
  %358 = phi i64 [ 2, %351 ], [ %355, %353 ], [ 9223372036854775807, %356 ]
  %359 = icmp slt i64 %344, %358
  %360 = icmp samesign ugt i64 %344, 1
  %361 = select i1 %359, i1 %360, i1 false
  %362 = zext i1 %361 to i64
  %363 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %364 = load i64, ptr %363, align 16
  %365 = add nsw i64 %364, %362
  store i64 %365, ptr %363, align 16
  %366 = icmp ne i32 %346, 3
  %367 = select i1 %366, i1 %360, i1 false
  %368 = icmp ne i64 %4, 1
  %369 = and i1 %368, %367
  br i1 %369, label %370, label %377
370:                                              ; preds = %357
  %371 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #14
  %372 = load i64, ptr %7, align 8
  %373 = mul nsw i64 %372, 1000000000
  %374 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %375 = load i64, ptr %374, align 8
  %376 = add nsw i64 %373, %375
  br label %377
377:                                              ; preds = %357, %370
  %378 = phi i64 [ %376, %370 ], [ 0, %357 ]
  br i1 %359, label %380, label %379
379:                                              ; preds = %377
  call fastcc void @do_together(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %14, i64 noundef %344)
  br label %381
380:                                              ; preds = %377
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %381
381:                                              ; preds = %380, %379
  %382 = icmp eq i64 %378, 0
  br i1 %382, label %393, label %383
383:                                              ; preds = %381
  %384 = load i32, ptr %345, align 4
  %385 = icmp eq i32 %384, 3
  br i1 %385, label %393, label %386
386:                                              ; preds = %383
  %387 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %388 = load i64, ptr %6, align 8
  %389 = mul nsw i64 %388, 1000000000
  %390 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %391 = load i64, ptr %390, align 8
  %392 = add nsw i64 %389, %391
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i32 noundef 1, i64 noundef %378, i64 noundef %392)
  br label %393
393:                                              ; preds = %386, %383, %381
  store atomic i32 0, ptr %321 release, align 64
  br label %394
394:                                              ; preds = %307, %304, %47, %39, %316, %324, %393, %5
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
  br i1 %10, label %11, label %89
11:                                               ; preds = %8, %1
  %12 = tail call i32 @getpid() #14
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %14 = load atomic i32, ptr %13 seq_cst, align 8
  %15 = icmp eq i32 %14, %12
  br i1 %15, label %89, label %16
16:                                               ; preds = %11
  %17 = sub nsw i32 0, %12
  %18 = icmp eq i32 %14, %17
  br i1 %18, label %89, label %19
19:                                               ; preds = %16
  %20 = cmpxchg ptr %13, i32 %14, i32 %17 seq_cst seq_cst, align 8
  %21 = extractvalue { i32, i1 } %20, 1
  br i1 %21, label %22, label %89
22:                                               ; preds = %19
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %24 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %23, ptr noundef null) #14
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %26 = tail call i32 @pthread_cond_init(ptr noundef nonnull %25, ptr noundef null) #14
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 448
  %28 = tail call i32 @pthread_cond_init(ptr noundef nonnull %27, ptr noundef null) #14
  store atomic i64 0, ptr %0 seq_cst, align 64
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store atomic i32 0, ptr %29 seq_cst, align 64
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 324
  store atomic i32 0, ptr %30 seq_cst, align 4
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 512
  store atomic i32 0, ptr %31 seq_cst, align 64
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 0, ptr %32, align 32
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 528
  store i64 0, ptr %33, align 16
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %35 = load i64, ptr %34, align 8
  %36 = add i64 %35, 16777216
  store i64 %36, ptr %34, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 544
  store i64 2, ptr %37, align 32
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 568
  store i32 0, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store <4 x i32> <i32 0, i32 4, i32 64, i32 64>, ptr %39, align 8
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 592
  store i64 0, ptr %40, align 16
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 584
  store i32 0, ptr %41, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 600
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %42, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 620
  store i32 1, ptr %44, align 4
  %45 = call i32 @pthread_attr_init(ptr noundef nonnull %2) #14
  %46 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %2, i64 noundef 4194304) #14
  %47 = call i32 @sigfillset(ptr noundef nonnull %3) #14
  %48 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 11) #14
  %49 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 7) #14
  %50 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 8) #14
  %51 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 4) #14
  %52 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 5) #14
  %53 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 31) #14
  %54 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #14
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %57 = load i32, ptr %56, align 4
  %58 = icmp sgt i32 %57, 1
  br i1 %58, label %59, label %82
59:                                               ; preds = %22
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 496
  br label %61
61:                                               ; preds = %59, %75
  %62 = phi i64 [ 1, %59 ], [ %78, %75 ]
  %63 = load ptr, ptr %55, align 8
  %64 = getelementptr inbounds nuw %struct.share, ptr %63, i64 %62
  %65 = getelementptr inbounds nuw i8, ptr %64, i64 80
  store ptr %0, ptr %65, align 16
  %66 = getelementptr inbounds nuw i8, ptr %64, i64 72
  %67 = trunc nuw nsw i64 %62 to i32
  store i32 %67, ptr %66, align 8
  %68 = getelementptr inbounds nuw i8, ptr %64, i64 64
  store atomic i64 0, ptr %68 seq_cst, align 64
  %69 = load ptr, ptr %60, align 16
  %70 = load i32, ptr %32, align 32
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds i64, ptr %69, i64 %71
  %73 = call i32 @pthread_create(ptr noundef %72, ptr noundef nonnull %2, ptr noundef nonnull @work, ptr noundef nonnull %64) #14
  %74 = icmp eq i32 %73, 0
  br i1 %74, label %75, label %82
75:                                               ; preds = %61
  %76 = load i32, ptr %32, align 32
  %77 = add nsw i32 %76, 1
  store i32 %77, ptr %32, align 32
  %78 = add nuw nsw i64 %62, 1
  %79 = load i32, ptr %56, align 4
  %80 = sext i32 %79 to i64
  %81 = icmp slt i64 %78, %80
  br i1 %81, label %61, label %82
82:                                               ; preds = %75, %61, %22
  %83 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #14
  %84 = call i32 @pthread_attr_destroy(ptr noundef nonnull %2) #14
  store atomic i32 %12, ptr %13 seq_cst, align 8
  %85 = load ptr, ptr %5, align 16
  %86 = icmp eq ptr %85, null
  br i1 %86, label %88, label %87
87:                                               ; preds = %82
  store atomic i32 1, ptr %85 release, align 4
  br label %88
88:                                               ; preds = %87, %82
  br label %89
89:                                               ; preds = %88, %11, %19, %16, %8
  %90 = phi i32 [ 1, %8 ], [ 1, %88 ], [ 1, %11 ], [ 0, %19 ], [ 0, %16 ]
  ret i32 %90
}
define internal fastcc void @weigh(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca i32, align 4
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 568
  %9 = load i32, ptr %8, align 8
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %24, label %11
11:                                               ; preds = %1
  %12 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #14
  %13 = load i64, ptr %7, align 8
  %14 = mul nsw i64 %13, 1000000000
  %15 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = add nsw i64 %14, %16
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 576
  %19 = load i64, ptr %18, align 64
  %20 = sub i64 %17, %19
  %21 = icmp slt i64 %20, 60000
  br i1 %21, label %22, label %24
22:                                               ; preds = %11
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 1, ptr %23, align 4
  br label %261
24:                                               ; preds = %11, %1
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %26 = load atomic i32, ptr %25 seq_cst, align 64
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %28 = load i32, ptr %27, align 32
  %29 = icmp eq i32 %26, %28
  br i1 %29, label %30, label %60
30:                                               ; preds = %24
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %32 = load i64, ptr %31, align 16
  %33 = icmp sgt i64 %32, 0
  br i1 %33, label %34, label %38
34:                                               ; preds = %30
  %35 = load i32, ptr %8, align 8
  %36 = icmp eq i32 %35, 0
  %37 = zext i1 %36 to i32
  store i32 %37, ptr %8, align 8
  br i1 %36, label %43, label %39
38:                                               ; preds = %30
  store i32 0, ptr %8, align 8
  br label %39
39:                                               ; preds = %34, %38
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 560
  %41 = load i32, ptr %40, align 16
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 %41, ptr %42, align 4
  br label %261
43:                                               ; preds = %34
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 1, ptr %44, align 4
  %45 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %46 = load i64, ptr %6, align 8
  %47 = mul nsw i64 %46, 1000000000
  %48 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %49 = load i64, ptr %48, align 8
  %50 = add nsw i64 %47, %49
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 576
  store i64 %50, ptr %51, align 64
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %53 = call i32 @pthread_mutex_lock(ptr noundef nonnull %52) #14
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %55 = load i32, ptr %54, align 4
  %56 = add i32 %55, 1
  store i32 %56, ptr %54, align 4
  %57 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %52) #14
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %59 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %58) #14
  br label %261
60:                                               ; preds = %24
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %62 = load i64, ptr %61, align 32
  %63 = icmp slt i64 %62, 3
  %64 = select i1 %63, i64 600, i64 300
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %66 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %72 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %76 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %81 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %82 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %85
83:                                               ; preds = %182
  %84 = icmp eq i64 %195, 9223372036854775807
  br i1 %84, label %200, label %201
85:                                               ; preds = %60, %182
  %86 = phi i64 [ 9223372036854775807, %60 ], [ %195, %182 ]
  %87 = phi i32 [ 0, %60 ], [ %196, %182 ]
  %88 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #14
  %89 = load i64, ptr %5, align 8
  %90 = load i64, ptr %65, align 8
  %91 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #14
  %92 = load i64, ptr %4, align 8
  %93 = load i64, ptr %66, align 8
  %94 = load i64, ptr %67, align 8
  %95 = add i64 %94, 1
  store i64 %95, ptr %67, align 8
  store atomic i64 0, ptr %0 monotonic, align 64
  store atomic i64 ptrtoint (ptr @do_nothing to i64), ptr %68 release, align 8
  store atomic i64 0, ptr %69 release, align 16
  store atomic i64 1, ptr %70 release, align 8
  store atomic i32 0, ptr %71 release, align 32
  store atomic i32 2, ptr %72 release, align 4
  store atomic i32 2, ptr %73 release, align 8
  store atomic i32 1, ptr %74 release, align 4
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %3)
  %96 = load i32, ptr %3, align 4
  %97 = and i32 %96, 65472
  store atomic i32 %97, ptr %75 release, align 16
  store atomic i64 %95, ptr %0 release, align 64
  %98 = load i64, ptr %76, align 8
  %99 = icmp sgt i64 %98, 63
  br i1 %99, label %100, label %109
100:                                              ; preds = %85
  fence seq_cst
  %101 = load atomic i32, ptr %25 seq_cst, align 64
  %102 = icmp sgt i32 %101, 0
  br i1 %102, label %103, label %109
103:                                              ; preds = %100
  store i64 0, ptr %76, align 8
  %104 = call i32 @pthread_mutex_lock(ptr noundef nonnull %77) #14
  %105 = load i32, ptr %78, align 4
  %106 = add i32 %105, 1
  store i32 %106, ptr %78, align 4
  %107 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %77) #14
  %108 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %79) #14
  br label %109
109:                                              ; preds = %103, %100, %85
  %110 = load i64, ptr %80, align 16
  %111 = add nsw i64 %110, 1
  store i64 %111, ptr %80, align 16
  %112 = load i32, ptr %27, align 32
  %113 = icmp slt i32 %112, 1
  br i1 %113, label %128, label %114
114:                                              ; preds = %109, %114
  %115 = phi i64 [ %122, %114 ], [ 1, %109 ]
  %116 = phi i64 [ %121, %114 ], [ 0, %109 ]
  %117 = load ptr, ptr %81, align 8
  %118 = getelementptr inbounds nuw %struct.share, ptr %117, i64 %115
  %119 = getelementptr inbounds nuw i8, ptr %118, i64 64
  %120 = load atomic i64, ptr %119 seq_cst, align 64
  %121 = add nsw i64 %120, %116
  %122 = add nuw nsw i64 %115, 1
  %123 = load i32, ptr %27, align 32
  %124 = sext i32 %123 to i64
  %125 = icmp slt i64 %115, %124
  br i1 %125, label %114, label %126
126:                                              ; preds = %114
  %127 = load i64, ptr %80, align 16
  br label %128
128:                                              ; preds = %126, %109
  %129 = phi i64 [ %111, %109 ], [ %127, %126 ]
  %130 = phi i64 [ 0, %109 ], [ %121, %126 ]
  %131 = icmp eq i64 %130, %129
  br i1 %131, label %132, label %159
132:                                              ; preds = %175, %128
  %133 = phi i1 [ true, %128 ], [ %178, %175 ]
  %134 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #14
  %135 = load i64, ptr %2, align 8
  %136 = load i64, ptr %82, align 8
  %137 = shl i64 %95, 16
  %138 = or disjoint i64 %137, 1
  br label %139
139:                                              ; preds = %157, %132
  %140 = phi i32 [ 0, %132 ], [ %158, %157 ]
  %141 = load ptr, ptr %81, align 8
  %142 = getelementptr inbounds nuw i8, ptr %141, i64 192
  %143 = load atomic i64, ptr %142 acquire, align 64
  br label %144
144:                                              ; preds = %153, %139
  %145 = phi i64 [ %143, %139 ], [ %156, %153 ]
  %146 = lshr i64 %145, 16
  %147 = icmp ne i64 %146, %95
  %148 = icmp ule i64 %146, %95
  %149 = and i64 %145, 65535
  %150 = icmp eq i64 %149, 0
  %151 = or i1 %147, %150
  %152 = and i1 %148, %151
  br i1 %152, label %153, label %182
153:                                              ; preds = %144
  %154 = cmpxchg weak ptr %142, i64 %145, i64 %138 seq_cst seq_cst, align 64
  %155 = extractvalue { i64, i1 } %154, 1
  %156 = extractvalue { i64, i1 } %154, 0
  br i1 %155, label %157, label %144
157:                                              ; preds = %153
  %158 = add nuw nsw i32 %140, 1
  br label %139
159:                                              ; preds = %128, %175
  %160 = phi i32 [ %179, %175 ], [ 0, %128 ]
  call void @llvm.x86.sse2.pause()
  %161 = load i32, ptr %27, align 32
  %162 = icmp slt i32 %161, 1
  br i1 %162, label %175, label %163
163:                                              ; preds = %159, %163
  %164 = phi i64 [ %171, %163 ], [ 1, %159 ]
  %165 = phi i64 [ %170, %163 ], [ 0, %159 ]
  %166 = load ptr, ptr %81, align 8
  %167 = getelementptr inbounds nuw %struct.share, ptr %166, i64 %164
  %168 = getelementptr inbounds nuw i8, ptr %167, i64 64
  %169 = load atomic i64, ptr %168 seq_cst, align 64
  %170 = add nsw i64 %169, %165
  %171 = add nuw nsw i64 %164, 1
  %172 = load i32, ptr %27, align 32
  %173 = sext i32 %172 to i64
  %174 = icmp slt i64 %164, %173
  br i1 %174, label %163, label %175
175:                                              ; preds = %163, %159
  %176 = phi i64 [ 0, %159 ], [ %170, %163 ]
  %177 = load i64, ptr %80, align 16
  %178 = icmp eq i64 %176, %177
  %179 = add nuw nsw i32 %160, 1
  %180 = icmp samesign ugt i32 %160, 126
  %181 = select i1 %180, i1 true, i1 %178
  br i1 %181, label %132, label %159
182:                                              ; preds = %144
  %183 = zext nneg i32 %140 to i64
  %184 = mul i64 %92, 9223372035854775808
  %185 = sub i64 %184, %93
  %186 = load i64, ptr %80, align 16
  %187 = sub nsw i64 %186, %183
  store i64 %187, ptr %80, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %188 = shl i64 %185, 1
  %189 = add i64 %135, %89
  %190 = mul i64 %189, 1000000000
  %191 = add i64 %188, %90
  %192 = add i64 %191, %136
  %193 = add i64 %192, %190
  %194 = select i1 %133, i64 %193, i64 9223372036854775807
  %195 = call i64 @llvm.smin.i64(i64 %194, i64 %86)
  %196 = add nuw nsw i32 %87, 1
  %197 = icmp samesign ult i32 %87, 3
  %198 = icmp sgt i64 %195, %64
  %199 = select i1 %197, i1 %198, i1 false
  br i1 %199, label %85, label %83
200:                                              ; preds = %83
  call fastcc void @send_away(ptr noundef %0)
  br label %201
201:                                              ; preds = %200, %83
  %202 = load i64, ptr %61, align 32
  %203 = icmp slt i64 %202, 3
  %204 = select i1 %203, i64 600, i64 300
  %205 = icmp sgt i64 %195, %204
  %206 = getelementptr inbounds nuw i8, ptr %0, i64 584
  br i1 %205, label %209, label %207
207:                                              ; preds = %201
  store i32 0, ptr %206, align 8
  %208 = getelementptr inbounds nuw i8, ptr %0, i64 560
  store i32 1024, ptr %208, align 16
  br i1 %203, label %242, label %229
209:                                              ; preds = %201
  %210 = load i32, ptr %206, align 8
  %211 = add nsw i32 %210, 1
  store i32 %211, ptr %206, align 8
  %212 = icmp ne i64 %195, 9223372036854775807
  %213 = and i1 %212, %203
  %214 = select i1 %213, i32 2, i32 1
  %215 = icmp slt i32 %211, %214
  %216 = icmp eq i32 %211, 0
  %217 = getelementptr inbounds nuw i8, ptr %0, i64 560
  br i1 %216, label %227, label %218
218:                                              ; preds = %209
  br i1 %203, label %219, label %220
219:                                              ; preds = %218
  store i32 64, ptr %217, align 16
  br i1 %215, label %242, label %229
220:                                              ; preds = %218
  %221 = load i32, ptr %217, align 16
  %222 = icmp slt i32 %221, 1024
  br i1 %222, label %223, label %225
223:                                              ; preds = %220
  %224 = shl nsw i32 %221, 1
  store i32 %224, ptr %217, align 16
  br label %225
225:                                              ; preds = %223, %220
  %226 = phi i32 [ %224, %223 ], [ %221, %220 ]
  br i1 %215, label %229, label %236
227:                                              ; preds = %209
  store i32 1024, ptr %217, align 16
  %228 = xor i1 %203, %215
  br i1 %228, label %229, label %235
229:                                              ; preds = %227, %225, %219, %207
  %230 = phi i32 [ %226, %225 ], [ 1024, %227 ], [ 64, %219 ], [ 1024, %207 ]
  %231 = phi i1 [ true, %225 ], [ %215, %227 ], [ false, %219 ], [ true, %207 ]
  %232 = getelementptr inbounds nuw i8, ptr %0, i64 600
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %232, align 8
  %233 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store i32 1, ptr %233, align 8
  %234 = getelementptr inbounds nuw i8, ptr %0, i64 620
  store i32 1, ptr %234, align 4
  store i64 2, ptr %61, align 32
  br i1 %231, label %245, label %236
235:                                              ; preds = %227
  store i64 2, ptr %61, align 32
  br i1 %215, label %245, label %236
236:                                              ; preds = %235, %229, %225
  %237 = phi i32 [ 1024, %235 ], [ %230, %229 ], [ %226, %225 ]
  %238 = icmp slt i64 %195, 895
  br i1 %238, label %239, label %242
239:                                              ; preds = %236
  %240 = mul nsw i64 %195, 24
  %241 = sdiv i64 %240, 500
  br label %242
242:                                              ; preds = %239, %236, %219, %207
  %243 = phi i32 [ %237, %236 ], [ 1024, %207 ], [ %237, %239 ], [ 64, %219 ]
  %244 = phi i64 [ 43, %236 ], [ 2, %207 ], [ %241, %239 ], [ 2, %219 ]
  store i64 %244, ptr %61, align 32
  br label %245
245:                                              ; preds = %229, %235, %242
  %246 = phi i32 [ %230, %229 ], [ 1024, %235 ], [ %243, %242 ]
  %247 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %248 = load i32, ptr %247, align 4
  %249 = icmp eq i32 %248, 3
  br i1 %249, label %250, label %258
250:                                              ; preds = %245
  %251 = getelementptr inbounds nuw i8, ptr %0, i64 620
  %252 = load i32, ptr %251, align 4
  %253 = add nsw i32 %252, -1
  store i32 %253, ptr %251, align 4
  %254 = icmp slt i32 %252, 2
  br i1 %254, label %255, label %258
255:                                              ; preds = %250
  %256 = getelementptr inbounds nuw i8, ptr %0, i64 640
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(4096) %256, i8 0, i64 4096, i1 false)
  store i32 0, ptr %247, align 4
  %257 = getelementptr inbounds nuw i8, ptr %0, i64 624
  store i32 0, ptr %257, align 16
  br label %258
258:                                              ; preds = %255, %250, %245
  %259 = getelementptr inbounds nuw i8, ptr %0, i64 592
  store i64 0, ptr %259, align 16
  %260 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 %246, ptr %260, align 4
  store i32 0, ptr %8, align 8
  br label %261
261:                                              ; preds = %39, %43, %258, %22
  ret void
}
define internal fastcc void @do_together(ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i64 noundef range(i64 1, -9223372036854775808) %3, i64 noundef %4, i64 noundef range(i64 2, -9223372036854775808) %5, i64 noundef range(i64 0, -9223372036854775808) %6) unnamed_addr #0 {
  %8 = alloca %struct.timespec, align 8
  %9 = alloca i32, align 4
  %10 = alloca %struct.timespec, align 8
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %12 = load i64, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %14 = load i32, ptr %13, align 32
  %15 = add nsw i32 %14, 1
  %16 = sext i32 %15 to i64
  %17 = tail call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %5, i64 %16)
  %18 = trunc nsw i64 %17 to i32
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %20 = load atomic i32, ptr %19 seq_cst, align 64
  %21 = sub nsw i32 %15, %20
  %22 = icmp slt i32 %21, %18
  br i1 %22, label %24, label %23
23:                                               ; preds = %7
  store i64 0, ptr %11, align 8
  br label %39
24:                                               ; preds = %7
  %25 = icmp slt i64 %4, 0
  %26 = select i1 %25, i64 %6, i64 %5
  %27 = sext i32 %21 to i64
  %28 = sdiv i64 %26, %27
  %29 = sdiv i64 %26, %17
  %30 = sub nsw i64 %28, %29
  %31 = icmp slt i64 %30, 64
  br i1 %31, label %33, label %32
32:                                               ; preds = %24
  store i64 64, ptr %11, align 8
  br label %39
33:                                               ; preds = %24
  %34 = load i64, ptr %11, align 8
  %35 = add nsw i64 %34, %30
  %36 = freeze i64 %35
  store i64 %36, ptr %11, align 8
  %37 = icmp slt i64 %36, 64
  %38 = select i1 %37, i32 %21, i32 %18
  br label %39
39:                                               ; preds = %23, %32, %33
  %40 = phi i64 [ 0, %23 ], [ 64, %32 ], [ %36, %33 ]
  %41 = phi i32 [ %18, %23 ], [ %18, %32 ], [ %38, %33 ]
  %42 = icmp ult i64 %4, 2
  br i1 %42, label %43, label %54
43:                                               ; preds = %39
  %44 = icmp sgt i64 %40, %12
  %45 = icmp slt i64 %40, 64
  %46 = and i1 %44, %45
  br i1 %46, label %47, label %54
47:                                               ; preds = %43
  %48 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %10) #14
  %49 = load i64, ptr %10, align 8
  %50 = mul nsw i64 %49, 1000000000
  %51 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %52 = load i64, ptr %51, align 8
  %53 = add nsw i64 %50, %52
  br label %54
54:                                               ; preds = %39, %43, %47
  %55 = phi i64 [ %53, %47 ], [ 0, %39 ], [ 0, %43 ]
  %56 = icmp eq i32 %41, 1
  br i1 %56, label %57, label %58
57:                                               ; preds = %54
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %422
58:                                               ; preds = %54
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %60 = load i64, ptr %59, align 8
  %61 = add i64 %60, 1
  store i64 %61, ptr %59, align 8
  %62 = lshr i64 %6, 2
  %63 = call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %5, i64 %62)
  %64 = sext i32 %41 to i64
  %65 = sdiv i64 %63, %64
  %66 = call i64 @llvm.smax.i64(i64 %65, i64 1)
  %67 = call i64 @llvm.umin.i64(i64 %66, i64 8)
  %68 = trunc nuw nsw i64 %67 to i32
  %69 = mul nsw i32 %41, %68
  %70 = sext i32 %69 to i64
  %71 = sdiv i64 %3, %70
  %72 = srem i64 %3, %70
  %73 = trunc nuw nsw i64 %72 to i32
  store atomic i64 0, ptr %0 monotonic, align 64
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %75 = ptrtoint ptr %1 to i64
  store atomic i64 %75, ptr %74 release, align 8
  %76 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %77 = ptrtoint ptr %2 to i64
  store atomic i64 %77, ptr %76 release, align 16
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %71, ptr %78 release, align 8
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %73, ptr %79 release, align 32
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %69, ptr %80 release, align 4
  %81 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 %41, ptr %81 release, align 8
  %82 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %68, ptr %82 release, align 4
  %83 = getelementptr inbounds nuw i8, ptr %0, i64 48
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %9)
  %84 = load i32, ptr %9, align 4
  %85 = and i32 %84, 65472
  store atomic i32 %85, ptr %83 release, align 16
  store atomic i64 %61, ptr %0 release, align 64
  %86 = load i64, ptr %11, align 8
  %87 = icmp sgt i64 %86, 63
  br i1 %87, label %88, label %100
88:                                               ; preds = %58
  fence seq_cst
  %89 = load atomic i32, ptr %19 seq_cst, align 64
  %90 = icmp sgt i32 %89, 0
  br i1 %90, label %91, label %100
91:                                               ; preds = %88
  store i64 0, ptr %11, align 8
  %92 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %93 = call i32 @pthread_mutex_lock(ptr noundef nonnull %92) #14
  %94 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %95 = load i32, ptr %94, align 4
  %96 = add i32 %95, 1
  store i32 %96, ptr %94, align 4
  %97 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %92) #14
  %98 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %99 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %98) #14
  br label %100
100:                                              ; preds = %58, %88, %91
  %101 = add i32 %69, -1
  %102 = udiv i32 %101, %69
  %103 = zext i32 %102 to i64
  %104 = add i32 %101, %73
  %105 = udiv i32 %104, %69
  %106 = zext i32 %105 to i64
  %107 = add nsw i64 %71, %106
  call void %1(ptr noundef %2, i64 noundef %103, i64 noundef %107) #14
  %108 = icmp slt i64 %65, 2
  br i1 %108, label %151, label %109
109:                                              ; preds = %100
  %110 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %111 = shl i64 %61, 16
  %112 = or disjoint i64 %111, 1
  br label %113
113:                                              ; preds = %133, %109
  %114 = phi i32 [ 0, %109 ], [ %148, %133 ]
  %115 = load ptr, ptr %110, align 8
  %116 = load atomic i64, ptr %115 acquire, align 64
  br label %117
117:                                              ; preds = %127, %113
  %118 = phi i64 [ %116, %113 ], [ %132, %127 ]
  %119 = lshr i64 %118, 16
  %120 = icmp eq i64 %119, %61
  %121 = trunc i64 %118 to i32
  %122 = and i32 %121, 65535
  %123 = select i1 %120, i32 %122, i32 1
  %124 = icmp ule i64 %119, %61
  %125 = icmp samesign ult i32 %123, %68
  %126 = select i1 %124, i1 %125, i1 false
  br i1 %126, label %127, label %149
127:                                              ; preds = %117
  %128 = zext nneg i32 %123 to i64
  %129 = add nuw i64 %112, %128
  %130 = cmpxchg weak ptr %115, i64 %118, i64 %129 seq_cst seq_cst, align 64
  %131 = extractvalue { i64, i1 } %130, 1
  %132 = extractvalue { i64, i1 } %130, 0
  br i1 %131, label %133, label %117
133:                                              ; preds = %127
  %134 = mul nsw i64 %71, %128
  %135 = mul i32 %123, %73
  %136 = add i32 %135, %101
  %137 = udiv i32 %136, %69
  %138 = zext i32 %137 to i64
  %139 = add nsw i64 %134, %138
  %140 = add nuw nsw i32 %123, 1
  %141 = zext nneg i32 %140 to i64
  %142 = mul nsw i64 %71, %141
  %143 = mul i32 %140, %73
  %144 = add i32 %143, %101
  %145 = udiv i32 %144, %69
  %146 = zext i32 %145 to i64
  %147 = add nsw i64 %142, %146
  call void %1(ptr noundef %2, i64 noundef %139, i64 noundef %147) #14
  %148 = add nuw nsw i32 %114, 1
  br label %113
149:                                              ; preds = %117
  %150 = add nuw nsw i32 %114, 1
  br label %151
151:                                              ; preds = %149, %100
  %152 = phi i32 [ %150, %149 ], [ 1, %100 ]
  %153 = zext i32 %69 to i64
  %154 = sext i32 %152 to i64
  %155 = sub nsw i64 %153, %154
  %156 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %157 = load i64, ptr %156, align 16
  %158 = add nsw i64 %155, %157
  store i64 %158, ptr %156, align 16
  %159 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %160 = load i32, ptr %13, align 32
  %161 = icmp slt i32 %160, 1
  br i1 %161, label %176, label %162
162:                                              ; preds = %151, %162
  %163 = phi i64 [ %170, %162 ], [ 1, %151 ]
  %164 = phi i64 [ %169, %162 ], [ 0, %151 ]
  %165 = load ptr, ptr %159, align 8
  %166 = getelementptr inbounds nuw %struct.share, ptr %165, i64 %163
  %167 = getelementptr inbounds nuw i8, ptr %166, i64 64
  %168 = load atomic i64, ptr %167 seq_cst, align 64
  %169 = add nsw i64 %168, %164
  %170 = add nuw nsw i64 %163, 1
  %171 = load i32, ptr %13, align 32
  %172 = sext i32 %171 to i64
  %173 = icmp slt i64 %163, %172
  br i1 %173, label %162, label %174
174:                                              ; preds = %162
  %175 = load i64, ptr %156, align 16
  br label %176
176:                                              ; preds = %174, %151
  %177 = phi i32 [ %160, %151 ], [ %171, %174 ]
  %178 = phi i64 [ %158, %151 ], [ %175, %174 ]
  %179 = phi i64 [ 0, %151 ], [ %169, %174 ]
  %180 = icmp eq i64 %179, %178
  br i1 %180, label %181, label %200
181:                                              ; preds = %340, %335, %315, %295, %275, %255, %235, %215, %176
  %182 = phi i32 [ %341, %340 ], [ %336, %335 ], [ %316, %315 ], [ %296, %295 ], [ %276, %275 ], [ %256, %255 ], [ %236, %235 ], [ %216, %215 ], [ %177, %176 ]
  %183 = icmp slt i32 %182, 1
  br i1 %183, label %196, label %184
184:                                              ; preds = %181, %184
  %185 = phi i64 [ %192, %184 ], [ 1, %181 ]
  %186 = phi i64 [ %191, %184 ], [ 0, %181 ]
  %187 = load ptr, ptr %159, align 8
  %188 = getelementptr inbounds nuw %struct.share, ptr %187, i64 %185
  %189 = getelementptr inbounds nuw i8, ptr %188, i64 64
  %190 = load atomic i64, ptr %189 seq_cst, align 64
  %191 = add nsw i64 %190, %186
  %192 = add nuw nsw i64 %185, 1
  %193 = load i32, ptr %13, align 32
  %194 = sext i32 %193 to i64
  %195 = icmp slt i64 %185, %194
  br i1 %195, label %184, label %196
196:                                              ; preds = %184, %181
  %197 = phi i64 [ 0, %181 ], [ %191, %184 ]
  %198 = load i64, ptr %156, align 16
  %199 = icmp eq i64 %197, %198
  br i1 %199, label %398, label %342
200:                                              ; preds = %176
  call void @llvm.x86.sse2.pause()
  %201 = load i32, ptr %13, align 32
  %202 = icmp slt i32 %201, 1
  br i1 %202, label %215, label %203
203:                                              ; preds = %200, %203
  %204 = phi i64 [ %211, %203 ], [ 1, %200 ]
  %205 = phi i64 [ %210, %203 ], [ 0, %200 ]
  %206 = load ptr, ptr %159, align 8
  %207 = getelementptr inbounds nuw %struct.share, ptr %206, i64 %204
  %208 = getelementptr inbounds nuw i8, ptr %207, i64 64
  %209 = load atomic i64, ptr %208 seq_cst, align 64
  %210 = add nsw i64 %209, %205
  %211 = add nuw nsw i64 %204, 1
  %212 = load i32, ptr %13, align 32
  %213 = sext i32 %212 to i64
  %214 = icmp slt i64 %204, %213
  br i1 %214, label %203, label %215
215:                                              ; preds = %203, %200
  %216 = phi i32 [ %201, %200 ], [ %212, %203 ]
  %217 = phi i64 [ 0, %200 ], [ %210, %203 ]
  %218 = load i64, ptr %156, align 16
  %219 = icmp eq i64 %217, %218
  br i1 %219, label %181, label %220
220:                                              ; preds = %215
  call void @llvm.x86.sse2.pause()
  %221 = load i32, ptr %13, align 32
  %222 = icmp slt i32 %221, 1
  br i1 %222, label %235, label %223
223:                                              ; preds = %220, %223
  %224 = phi i64 [ %231, %223 ], [ 1, %220 ]
  %225 = phi i64 [ %230, %223 ], [ 0, %220 ]
  %226 = load ptr, ptr %159, align 8
  %227 = getelementptr inbounds nuw %struct.share, ptr %226, i64 %224
  %228 = getelementptr inbounds nuw i8, ptr %227, i64 64
  %229 = load atomic i64, ptr %228 seq_cst, align 64
  %230 = add nsw i64 %229, %225
  %231 = add nuw nsw i64 %224, 1
  %232 = load i32, ptr %13, align 32
  %233 = sext i32 %232 to i64
  %234 = icmp slt i64 %224, %233
  br i1 %234, label %223, label %235
235:                                              ; preds = %223, %220
  %236 = phi i32 [ %221, %220 ], [ %232, %223 ]
  %237 = phi i64 [ 0, %220 ], [ %230, %223 ]
  %238 = load i64, ptr %156, align 16
  %239 = icmp eq i64 %237, %238
  br i1 %239, label %181, label %240
240:                                              ; preds = %235
  call void @llvm.x86.sse2.pause()
  %241 = load i32, ptr %13, align 32
  %242 = icmp slt i32 %241, 1
  br i1 %242, label %255, label %243
243:                                              ; preds = %240, %243
  %244 = phi i64 [ %251, %243 ], [ 1, %240 ]
  %245 = phi i64 [ %250, %243 ], [ 0, %240 ]
  %246 = load ptr, ptr %159, align 8
  %247 = getelementptr inbounds nuw %struct.share, ptr %246, i64 %244
  %248 = getelementptr inbounds nuw i8, ptr %247, i64 64
  %249 = load atomic i64, ptr %248 seq_cst, align 64
  %250 = add nsw i64 %249, %245
  %251 = add nuw nsw i64 %244, 1
  %252 = load i32, ptr %13, align 32
  %253 = sext i32 %252 to i64
  %254 = icmp slt i64 %244, %253
  br i1 %254, label %243, label %255
255:                                              ; preds = %243, %240
  %256 = phi i32 [ %241, %240 ], [ %252, %243 ]
  %257 = phi i64 [ 0, %240 ], [ %250, %243 ]
  %258 = load i64, ptr %156, align 16
  %259 = icmp eq i64 %257, %258
  br i1 %259, label %181, label %260
260:                                              ; preds = %255
  call void @llvm.x86.sse2.pause()
  %261 = load i32, ptr %13, align 32
  %262 = icmp slt i32 %261, 1
  br i1 %262, label %275, label %263
263:                                              ; preds = %260, %263
  %264 = phi i64 [ %271, %263 ], [ 1, %260 ]
  %265 = phi i64 [ %270, %263 ], [ 0, %260 ]
  %266 = load ptr, ptr %159, align 8
  %267 = getelementptr inbounds nuw %struct.share, ptr %266, i64 %264
  %268 = getelementptr inbounds nuw i8, ptr %267, i64 64
  %269 = load atomic i64, ptr %268 seq_cst, align 64
  %270 = add nsw i64 %269, %265
  %271 = add nuw nsw i64 %264, 1
  %272 = load i32, ptr %13, align 32
  %273 = sext i32 %272 to i64
  %274 = icmp slt i64 %264, %273
  br i1 %274, label %263, label %275
275:                                              ; preds = %263, %260
  %276 = phi i32 [ %261, %260 ], [ %272, %263 ]
  %277 = phi i64 [ 0, %260 ], [ %270, %263 ]
  %278 = load i64, ptr %156, align 16
  %279 = icmp eq i64 %277, %278
  br i1 %279, label %181, label %280
280:                                              ; preds = %275
  call void @llvm.x86.sse2.pause()
  %281 = load i32, ptr %13, align 32
  %282 = icmp slt i32 %281, 1
  br i1 %282, label %295, label %283
283:                                              ; preds = %280, %283
  %284 = phi i64 [ %291, %283 ], [ 1, %280 ]
  %285 = phi i64 [ %290, %283 ], [ 0, %280 ]
  %286 = load ptr, ptr %159, align 8
  %287 = getelementptr inbounds nuw %struct.share, ptr %286, i64 %284
  %288 = getelementptr inbounds nuw i8, ptr %287, i64 64
  %289 = load atomic i64, ptr %288 seq_cst, align 64
  %290 = add nsw i64 %289, %285
  %291 = add nuw nsw i64 %284, 1
  %292 = load i32, ptr %13, align 32
  %293 = sext i32 %292 to i64
  %294 = icmp slt i64 %284, %293
  br i1 %294, label %283, label %295
295:                                              ; preds = %283, %280
  %296 = phi i32 [ %281, %280 ], [ %292, %283 ]
  %297 = phi i64 [ 0, %280 ], [ %290, %283 ]
  %298 = load i64, ptr %156, align 16
  %299 = icmp eq i64 %297, %298
  br i1 %299, label %181, label %300
300:                                              ; preds = %295
  call void @llvm.x86.sse2.pause()
  %301 = load i32, ptr %13, align 32
  %302 = icmp slt i32 %301, 1
  br i1 %302, label %315, label %303
303:                                              ; preds = %300, %303
  %304 = phi i64 [ %311, %303 ], [ 1, %300 ]
  %305 = phi i64 [ %310, %303 ], [ 0, %300 ]
  %306 = load ptr, ptr %159, align 8
  %307 = getelementptr inbounds nuw %struct.share, ptr %306, i64 %304
  %308 = getelementptr inbounds nuw i8, ptr %307, i64 64
  %309 = load atomic i64, ptr %308 seq_cst, align 64
  %310 = add nsw i64 %309, %305
  %311 = add nuw nsw i64 %304, 1
  %312 = load i32, ptr %13, align 32
  %313 = sext i32 %312 to i64
  %314 = icmp slt i64 %304, %313
  br i1 %314, label %303, label %315
315:                                              ; preds = %303, %300
  %316 = phi i32 [ %301, %300 ], [ %312, %303 ]
  %317 = phi i64 [ 0, %300 ], [ %310, %303 ]
  %318 = load i64, ptr %156, align 16
  %319 = icmp eq i64 %317, %318
  br i1 %319, label %181, label %320
320:                                              ; preds = %315
  call void @llvm.x86.sse2.pause()
  %321 = load i32, ptr %13, align 32
  %322 = icmp slt i32 %321, 1
  br i1 %322, label %335, label %323
323:                                              ; preds = %320, %323
  %324 = phi i64 [ %331, %323 ], [ 1, %320 ]
  %325 = phi i64 [ %330, %323 ], [ 0, %320 ]
  %326 = load ptr, ptr %159, align 8
  %327 = getelementptr inbounds nuw %struct.share, ptr %326, i64 %324
  %328 = getelementptr inbounds nuw i8, ptr %327, i64 64
  %329 = load atomic i64, ptr %328 seq_cst, align 64
  %330 = add nsw i64 %329, %325
  %331 = add nuw nsw i64 %324, 1
  %332 = load i32, ptr %13, align 32
  %333 = sext i32 %332 to i64
  %334 = icmp slt i64 %324, %333
  br i1 %334, label %323, label %335
335:                                              ; preds = %323, %320
  %336 = phi i32 [ %321, %320 ], [ %332, %323 ]
  %337 = phi i64 [ 0, %320 ], [ %330, %323 ]
  %338 = load i64, ptr %156, align 16
  %339 = icmp eq i64 %337, %338
  br i1 %339, label %181, label %340
340:                                              ; preds = %335
  call void @llvm.x86.sse2.pause()
  %341 = load i32, ptr %13, align 32
  br label %181
342:                                              ; preds = %196
  %343 = icmp sgt i32 %41, 1
  br i1 %343, label %344, label %398
344:                                              ; preds = %342
  %345 = shl i64 %61, 16
  %346 = or disjoint i64 %345, 1
  %347 = zext nneg i32 %41 to i64
  br label %348
348:                                              ; preds = %392, %344
  %349 = phi i64 [ 1, %344 ], [ %394, %392 ]
  %350 = phi i32 [ 0, %344 ], [ %393, %392 ]
  %351 = mul nuw nsw i64 %349, %67
  %352 = trunc nsw i64 %351 to i32
  br label %353
353:                                              ; preds = %374, %348
  %354 = phi i32 [ 0, %348 ], [ %391, %374 ]
  %355 = load ptr, ptr %159, align 8
  %356 = getelementptr inbounds nuw %struct.share, ptr %355, i64 %349
  %357 = load atomic i64, ptr %356 acquire, align 64
  br label %358
358:                                              ; preds = %368, %353
  %359 = phi i64 [ %357, %353 ], [ %373, %368 ]
  %360 = lshr i64 %359, 16
  %361 = icmp eq i64 %360, %61
  %362 = trunc i64 %359 to i32
  %363 = and i32 %362, 65535
  %364 = select i1 %361, i32 %363, i32 0
  %365 = icmp ule i64 %360, %61
  %366 = icmp samesign ult i32 %364, %68
  %367 = select i1 %365, i1 %366, i1 false
  br i1 %367, label %368, label %392
368:                                              ; preds = %358
  %369 = zext nneg i32 %364 to i64
  %370 = add nuw i64 %346, %369
  %371 = cmpxchg weak ptr %356, i64 %359, i64 %370 seq_cst seq_cst, align 64
  %372 = extractvalue { i64, i1 } %371, 1
  %373 = extractvalue { i64, i1 } %371, 0
  br i1 %372, label %374, label %358
374:                                              ; preds = %368
  %375 = add nsw i32 %364, %352
  %376 = zext i32 %375 to i64
  %377 = mul nuw nsw i64 %71, %376
  %378 = mul i32 %375, %73
  %379 = add i32 %378, %101
  %380 = udiv i32 %379, %69
  %381 = zext i32 %380 to i64
  %382 = add nuw nsw i64 %377, %381
  %383 = add i32 %375, 1
  %384 = zext i32 %383 to i64
  %385 = mul nuw nsw i64 %71, %384
  %386 = mul i32 %383, %73
  %387 = add i32 %386, %101
  %388 = udiv i32 %387, %69
  %389 = zext i32 %388 to i64
  %390 = add nuw nsw i64 %385, %389
  call void %1(ptr noundef %2, i64 noundef %382, i64 noundef %390) #14
  %391 = add nuw nsw i32 %354, 1
  br label %353
392:                                              ; preds = %358
  %393 = add nuw nsw i32 %354, %350
  %394 = add nuw nsw i64 %349, 1
  %395 = icmp eq i64 %394, %347
  br i1 %395, label %396, label %348
396:                                              ; preds = %392
  %397 = load i64, ptr %156, align 16
  br label %398
398:                                              ; preds = %396, %342, %196
  %399 = phi i64 [ %197, %196 ], [ %198, %342 ], [ %397, %396 ]
  %400 = phi i32 [ 0, %196 ], [ 0, %342 ], [ %393, %396 ]
  %401 = sext i32 %400 to i64
  %402 = sub nsw i64 %399, %401
  store i64 %402, ptr %156, align 16
  %403 = add nsw i32 %400, %152
  %404 = icmp ult i32 %403, %69
  %405 = getelementptr inbounds nuw i8, ptr %0, i64 552
  br i1 %404, label %406, label %412
406:                                              ; preds = %398
  store i32 0, ptr %405, align 8
  %407 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %408 = load i32, ptr %407, align 4
  %409 = icmp sgt i32 %408, 4
  %410 = sext i1 %409 to i32
  %411 = add i32 %408, %410
  store i32 %411, ptr %407, align 4
  br label %421
412:                                              ; preds = %398
  %413 = load i32, ptr %405, align 8
  %414 = add nsw i32 %413, 1
  store i32 %414, ptr %405, align 8
  %415 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %416 = load i32, ptr %415, align 4
  %417 = icmp slt i32 %414, %416
  br i1 %417, label %421, label %418
418:                                              ; preds = %412
  store i32 0, ptr %405, align 8
  %419 = call i32 @llvm.smin.i32(i32 %416, i32 32)
  %420 = shl i32 %419, 1
  store i32 %420, ptr %415, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %421
421:                                              ; preds = %406, %412, %418
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %422
422:                                              ; preds = %421, %57
  %423 = icmp eq i64 %55, 0
  br i1 %423, label %438, label %424
424:                                              ; preds = %422
  %425 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #14
  %426 = load i64, ptr %8, align 8
  %427 = mul nsw i64 %426, 1000000000
  %428 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %429 = load i64, ptr %428, align 8
  %430 = sub i64 %429, %55
  %431 = add i64 %430, %427
  %432 = sdiv i64 %431, 1000
  %433 = add nsw i64 %432, %12
  %434 = load i64, ptr %11, align 8
  %435 = icmp slt i64 %433, %434
  %436 = call i64 @llvm.smin.i64(i64 %433, i64 64)
  %437 = select i1 %435, i64 %434, i64 %436
  store i64 %437, ptr %11, align 8
  br label %438
438:                                              ; preds = %424, %422
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
  %7 = alloca %struct.timespec, align 8
  %8 = alloca i32, align 4
  %9 = alloca %struct.member, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %11 = load i64, ptr %10, align 8
  %12 = add i64 %11, 1
  store i64 %12, ptr %10, align 8
  %13 = icmp sgt i32 %3, 0
  br i1 %13, label %14, label %34
14:                                               ; preds = %5
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %16 = zext nneg i32 %3 to i64
  %17 = and i64 %16, 1
  %18 = icmp eq i32 %3, 1
  br i1 %18, label %23, label %19
19:                                               ; preds = %14
  %20 = and i64 %16, 2147483646
  br label %93
21:                                               ; preds = %114
  %22 = icmp eq i64 %17, 0
  br i1 %22, label %34, label %23
23:                                               ; preds = %21, %14
  %24 = phi i64 [ 0, %14 ], [ %115, %21 ]
  %25 = icmp ne i64 %17, 0
  tail call void @llvm.assume(i1 %25)
  %26 = getelementptr inbounds nuw ptr, ptr %15, i64 %24
  %27 = load atomic i64, ptr %26 monotonic, align 8
  %28 = inttoptr i64 %27 to ptr
  %29 = getelementptr inbounds nuw ptr, ptr %2, i64 %24
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %30, %28
  br i1 %31, label %34, label %32
32:                                               ; preds = %23
  %33 = ptrtoint ptr %30 to i64
  store atomic i64 %33, ptr %26 monotonic, align 8
  br label %34
34:                                               ; preds = %21, %32, %23, %5
  store atomic i64 0, ptr %0 monotonic, align 64
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %36 = ptrtoint ptr %1 to i64
  store atomic i64 %36, ptr %35 release, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store atomic i64 0, ptr %37 release, align 16
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %4, ptr %38 release, align 8
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %3, ptr %39 release, align 32
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 1, ptr %40 release, align 4
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 0, ptr %41 release, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 1, ptr %42 release, align 4
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 48
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %8)
  %44 = load i32, ptr %8, align 4
  %45 = and i32 %44, 65472
  store atomic i32 %45, ptr %43 release, align 16
  store atomic i64 %12, ptr %0 release, align 64
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %47 = load i64, ptr %46, align 8
  %48 = icmp sgt i64 %47, 63
  br i1 %48, label %49, label %62
49:                                               ; preds = %34
  fence seq_cst
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %51 = load atomic i32, ptr %50 seq_cst, align 64
  %52 = icmp sgt i32 %51, 0
  br i1 %52, label %53, label %62
53:                                               ; preds = %49
  store i64 0, ptr %46, align 8
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %55 = call i32 @pthread_mutex_lock(ptr noundef nonnull %54) #14
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %57 = load i32, ptr %56, align 4
  %58 = add i32 %57, 1
  store i32 %58, ptr %56, align 4
  %59 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %54) #14
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %61 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %60) #14
  br label %62
62:                                               ; preds = %34, %49, %53
  store ptr %0, ptr %9, align 8
  %63 = getelementptr inbounds nuw i8, ptr %9, i64 8
  store i64 %4, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %9, i64 16
  store i64 %12, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %9, i64 24
  store i64 %12, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %9, i64 32
  %67 = ptrtoint ptr %9 to i64
  %68 = or disjoint i64 %67, 1
  %69 = inttoptr i64 %68 to ptr
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %66, i8 0, i64 16, i1 false)
  %70 = call i32 %1(ptr noundef %2, ptr noundef nonnull %69) #14
  %71 = load i64, ptr %65, align 8
  store i64 %71, ptr %10, align 8
  %72 = load ptr, ptr %9, align 8
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 328
  %74 = load ptr, ptr %73, align 8
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 320
  %76 = load atomic i64, ptr %75 monotonic, align 64
  %77 = load i64, ptr %64, align 8
  %78 = shl i64 %77, 1
  %79 = icmp ugt i64 %76, %78
  br i1 %79, label %86, label %80
80:                                               ; preds = %62
  %81 = getelementptr inbounds nuw i8, ptr %74, i64 200
  %82 = atomicrmw xchg ptr %81, i64 %78 seq_cst, align 8
  %83 = load i64, ptr %64, align 8
  %84 = shl i64 %83, 1
  %85 = icmp ugt i64 %82, %84
  br i1 %85, label %86, label %125
86:                                               ; preds = %62, %80
  %87 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %88 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %89 = load ptr, ptr %87, align 8
  %90 = getelementptr inbounds nuw i8, ptr %89, i64 328
  %91 = load atomic i64, ptr %90 acquire, align 8
  %92 = icmp eq i64 %91, %12
  br i1 %92, label %118, label %136
93:                                               ; preds = %114, %19
  %94 = phi i64 [ 0, %19 ], [ %115, %114 ]
  %95 = phi i64 [ 0, %19 ], [ %116, %114 ]
  %96 = getelementptr inbounds nuw ptr, ptr %15, i64 %94
  %97 = load atomic i64, ptr %96 monotonic, align 8
  %98 = inttoptr i64 %97 to ptr
  %99 = getelementptr inbounds nuw ptr, ptr %2, i64 %94
  %100 = load ptr, ptr %99, align 8
  %101 = icmp eq ptr %100, %98
  br i1 %101, label %104, label %102
102:                                              ; preds = %93
  %103 = ptrtoint ptr %100 to i64
  store atomic i64 %103, ptr %96 monotonic, align 8
  br label %104
104:                                              ; preds = %93, %102
  %105 = or disjoint i64 %94, 1
  %106 = getelementptr inbounds nuw ptr, ptr %15, i64 %105
  %107 = load atomic i64, ptr %106 monotonic, align 8
  %108 = inttoptr i64 %107 to ptr
  %109 = getelementptr inbounds nuw ptr, ptr %2, i64 %105
  %110 = load ptr, ptr %109, align 8
  %111 = icmp eq ptr %110, %108
  br i1 %111, label %114, label %112
112:                                              ; preds = %104
  %113 = ptrtoint ptr %110 to i64
  store atomic i64 %113, ptr %106 monotonic, align 8
  br label %114
114:                                              ; preds = %112, %104
  %115 = add nuw nsw i64 %94, 2
  %116 = add i64 %95, 2
  %117 = icmp eq i64 %116, %20
  br i1 %117, label %21, label %93
118:                                              ; preds = %159, %86
  %119 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store i32 0, ptr %119, align 8
  %120 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %121 = load i32, ptr %120, align 4
  %122 = icmp sgt i32 %121, 4
  %123 = sext i1 %122 to i32
  %124 = add i32 %121, %123
  store i32 %124, ptr %120, align 4
  br label %135
125:                                              ; preds = %80
  %126 = getelementptr inbounds nuw i8, ptr %0, i64 552
  %127 = load i32, ptr %126, align 8
  %128 = add nsw i32 %127, 1
  store i32 %128, ptr %126, align 8
  %129 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %130 = load i32, ptr %129, align 4
  %131 = icmp slt i32 %128, %130
  br i1 %131, label %135, label %132
132:                                              ; preds = %125
  store i32 0, ptr %126, align 8
  %133 = call i32 @llvm.smin.i32(i32 %130, i32 32)
  %134 = shl i32 %133, 1
  store i32 %134, ptr %129, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %135
135:                                              ; preds = %118, %125, %132
  ret i32 %70
136:                                              ; preds = %86, %159
  %137 = phi i32 [ %139, %159 ], [ 0, %86 ]
  %138 = phi i64 [ %160, %159 ], [ 0, %86 ]
  call void @llvm.x86.sse2.pause()
  %139 = add i32 %137, 1
  %140 = and i32 %139, 63
  %141 = icmp eq i32 %140, 0
  br i1 %141, label %142, label %159
142:                                              ; preds = %136
  %143 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %144 = load i64, ptr %6, align 8
  %145 = mul nsw i64 %144, 1000000000
  %146 = load i64, ptr %88, align 8
  %147 = add nsw i64 %145, %146
  %148 = icmp ne i32 %139, 64
  %149 = select i1 %148, i64 %138, i64 %147
  %150 = sub i64 %147, %138
  %151 = icmp sgt i64 %150, 50000
  %152 = select i1 %148, i1 %151, i1 false
  br i1 %152, label %153, label %159
153:                                              ; preds = %142
  %154 = call i32 @sched_yield() #14
  %155 = sub nsw i64 %147, %149
  %156 = icmp sgt i64 %155, 999999
  br i1 %156, label %157, label %159
157:                                              ; preds = %153
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %7, ptr noundef nonnull align 8 dereferenceable(16) @__const.stand_by.nap, i64 16, i1 false)
  %158 = call i32 @nanosleep(ptr noundef nonnull %7, ptr noundef null) #14
  br label %159
159:                                              ; preds = %136, %142, %153, %157
  %160 = phi i64 [ %149, %157 ], [ %149, %153 ], [ %149, %142 ], [ %138, %136 ]
  %161 = load ptr, ptr %87, align 8
  %162 = getelementptr inbounds nuw i8, ptr %161, i64 328
  %163 = load atomic i64, ptr %162 acquire, align 8
  %164 = icmp eq i64 %163, %12
  br i1 %164, label %118, label %136
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
define internal fastcc void @wait_for_other(ptr noundef readonly %0, i64 noundef %1) unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %6 = shl i64 %1, 1
  %7 = load ptr, ptr %0, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 328
  %9 = load ptr, ptr %8, align 8
  %10 = load i32, ptr %5, align 8
  %11 = sub nsw i32 1, %10
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds %struct.share, ptr %9, i64 %12
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 128
  %15 = load atomic i64, ptr %14 acquire, align 64
  %16 = icmp ult i64 %15, %6
  br i1 %16, label %17, label %19
17:                                               ; preds = %2
  %18 = getelementptr inbounds nuw i8, ptr %3, i64 8
  br label %20
19:                                               ; preds = %43, %2
  ret void
20:                                               ; preds = %17, %43
  %21 = phi i64 [ 0, %17 ], [ %44, %43 ]
  %22 = phi i32 [ 0, %17 ], [ %23, %43 ]
  call void @llvm.x86.sse2.pause()
  %23 = add i32 %22, 1
  %24 = and i32 %23, 63
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %43
26:                                               ; preds = %20
  %27 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #14
  %28 = load i64, ptr %3, align 8
  %29 = mul nsw i64 %28, 1000000000
  %30 = load i64, ptr %18, align 8
  %31 = add nsw i64 %29, %30
  %32 = icmp ne i32 %23, 64
  %33 = select i1 %32, i64 %21, i64 %31
  %34 = sub i64 %31, %21
  %35 = icmp sgt i64 %34, 50000
  %36 = select i1 %32, i1 %35, i1 false
  br i1 %36, label %37, label %43
37:                                               ; preds = %26
  %38 = call i32 @sched_yield() #14
  %39 = sub nsw i64 %31, %33
  %40 = icmp sgt i64 %39, 999999
  br i1 %40, label %41, label %43
41:                                               ; preds = %37
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %4, ptr noundef nonnull align 8 dereferenceable(16) @__const.stand_by.nap, i64 16, i1 false)
  %42 = call i32 @nanosleep(ptr noundef nonnull %4, ptr noundef null) #14
  br label %43
43:                                               ; preds = %20, %26, %37, %41
  %44 = phi i64 [ %33, %41 ], [ %33, %37 ], [ %33, %26 ], [ %21, %20 ]
  %45 = load ptr, ptr %0, align 8
  %46 = getelementptr inbounds nuw i8, ptr %45, i64 328
  %47 = load ptr, ptr %46, align 8
  %48 = load i32, ptr %5, align 8
  %49 = sub nsw i32 1, %48
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds %struct.share, ptr %47, i64 %50
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 128
  %53 = load atomic i64, ptr %52 acquire, align 64
  %54 = icmp ult i64 %53, %6
  br i1 %54, label %20, label %19
}
declare i32 @nanosleep(ptr noundef, ptr noundef) local_unnamed_addr #7
declare i32 @sched_yield() local_unnamed_addr #6
declare void @llvm.x86.sse2.pause() #14
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6
declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #6
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca [32 x ptr], align 16
  %3 = alloca %struct.member, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca %struct.timespec, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %8 = load ptr, ptr %7, align 16
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 52
  %10 = load atomic i32, ptr %9 seq_cst, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %12, label %304
12:                                               ; preds = %1
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %14 = getelementptr inbounds nuw i8, ptr %8, i64 360
  %15 = getelementptr inbounds nuw i8, ptr %8, i64 320
  %16 = getelementptr inbounds nuw i8, ptr %8, i64 356
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 400
  %18 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %19 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %20 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %21 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 36
  %23 = getelementptr inbounds nuw i8, ptr %8, i64 40
  %24 = getelementptr inbounds nuw i8, ptr %8, i64 44
  %25 = getelementptr inbounds nuw i8, ptr %8, i64 48
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %28 = getelementptr inbounds nuw i8, ptr %8, i64 328
  %29 = getelementptr inbounds nuw i8, ptr %8, i64 324
  %30 = getelementptr inbounds nuw i8, ptr %8, i64 448
  %31 = getelementptr inbounds nuw i8, ptr %8, i64 64
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %35 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %36 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %37 = getelementptr inbounds nuw i8, ptr %3, i64 44
  %38 = ptrtoint ptr %3 to i64
  %39 = or disjoint i64 %38, 1
  %40 = inttoptr i64 %39 to ptr
  br label %41
41:                                               ; preds = %12, %300
  %42 = phi i64 [ 0, %12 ], [ %301, %300 ]
  %43 = load atomic i64, ptr %8 seq_cst, align 64
  %44 = icmp eq i64 %43, 0
  %45 = icmp eq i64 %43, %42
  %46 = or i1 %44, %45
  br i1 %46, label %47, label %97
47:                                               ; preds = %41, %90
  %48 = phi i32 [ %92, %90 ], [ 0, %41 ]
  %49 = phi i64 [ %91, %90 ], [ 0, %41 ]
  %50 = load atomic i32, ptr %9 monotonic, align 4
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %52, label %97
52:                                               ; preds = %47
  call void @llvm.x86.sse2.pause()
  %53 = add i32 %48, 1
  %54 = and i32 %53, 63
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %90
56:                                               ; preds = %52
  %57 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %58 = load i64, ptr %6, align 8
  %59 = mul nsw i64 %58, 1000000000
  %60 = load i64, ptr %13, align 8
  %61 = add nsw i64 %59, %60
  %62 = icmp ne i32 %53, 64
  %63 = select i1 %62, i64 %49, i64 %61
  %64 = sub i64 %61, %49
  %65 = icmp sgt i64 %64, 50000
  %66 = select i1 %62, i1 %65, i1 false
  br i1 %66, label %67, label %90
67:                                               ; preds = %56
  %68 = call i32 @sched_yield() #14
  %69 = sub nsw i64 %61, %63
  %70 = icmp sgt i64 %69, 999999
  br i1 %70, label %71, label %90
71:                                               ; preds = %67
  %72 = call i32 @pthread_mutex_lock(ptr noundef nonnull %14) #14
  %73 = atomicrmw add ptr %15, i32 1 seq_cst, align 64
  %74 = load i32, ptr %16, align 4
  br label %75
75:                                               ; preds = %83, %71
  %76 = load atomic i64, ptr %8 seq_cst, align 64
  %77 = icmp eq i64 %76, 0
  %78 = icmp eq i64 %76, %42
  %79 = or i1 %77, %78
  br i1 %79, label %80, label %87
80:                                               ; preds = %75
  %81 = load atomic i32, ptr %9 monotonic, align 4
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %83, label %87
83:                                               ; preds = %80
  %84 = call i32 @pthread_cond_wait(ptr noundef nonnull %17, ptr noundef nonnull %14) #14
  %85 = load i32, ptr %16, align 4
  %86 = icmp eq i32 %85, %74
  br i1 %86, label %75, label %87
87:                                               ; preds = %75, %80, %83
  %88 = atomicrmw sub ptr %15, i32 1 seq_cst, align 64
  %89 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %14) #14
  br label %90
90:                                               ; preds = %56, %52, %87, %67
  %91 = phi i64 [ 0, %87 ], [ %63, %67 ], [ %49, %52 ], [ %63, %56 ]
  %92 = phi i32 [ 0, %87 ], [ %53, %67 ], [ %53, %52 ], [ %53, %56 ]
  %93 = load atomic i64, ptr %8 seq_cst, align 64
  %94 = icmp eq i64 %93, 0
  %95 = icmp eq i64 %93, %42
  %96 = or i1 %94, %95
  br i1 %96, label %47, label %97
97:                                               ; preds = %47, %90, %41
  %98 = load atomic i32, ptr %9 seq_cst, align 4
  %99 = icmp eq i32 %98, 0
  br i1 %99, label %100, label %300
100:                                              ; preds = %97
  %101 = load atomic i64, ptr %8 acquire, align 64
  %102 = load atomic i64, ptr %18 acquire, align 8
  %103 = inttoptr i64 %102 to ptr
  %104 = load atomic i64, ptr %19 acquire, align 16
  %105 = inttoptr i64 %104 to ptr
  %106 = load atomic i64, ptr %20 acquire, align 8
  %107 = load atomic i32, ptr %21 acquire, align 32
  %108 = load atomic i32, ptr %22 acquire, align 4
  %109 = load atomic i32, ptr %23 acquire, align 8
  %110 = load atomic i32, ptr %24 acquire, align 4
  %111 = load atomic i32, ptr %25 acquire, align 16
  %112 = icmp eq i64 %101, 0
  br i1 %112, label %300, label %113
113:                                              ; preds = %100
  %114 = load atomic i64, ptr %8 monotonic, align 64
  %115 = icmp eq i64 %114, %101
  br i1 %115, label %116, label %300
116:                                              ; preds = %113
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %4)
  %117 = load i32, ptr %4, align 4
  %118 = and i32 %117, 65472
  %119 = icmp eq i32 %111, %118
  br i1 %119, label %121, label %120
120:                                              ; preds = %116
  store i32 %111, ptr %5, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %5)
  br label %121
121:                                              ; preds = %116, %120
  %122 = icmp eq i32 %109, 0
  br i1 %122, label %123, label %186
123:                                              ; preds = %121
  %124 = icmp eq i32 %107, 0
  br i1 %124, label %146, label %125
125:                                              ; preds = %123
  %126 = zext i32 %107 to i64
  %127 = and i64 %126, 3
  %128 = icmp ult i32 %107, 4
  br i1 %128, label %133, label %129
129:                                              ; preds = %125
  %130 = and i64 %126, 4294967292
  br label %152
131:                                              ; preds = %152
  %132 = icmp eq i64 %127, 0
  br i1 %132, label %146, label %133
133:                                              ; preds = %131, %125
  %134 = phi i64 [ 0, %125 ], [ %174, %131 ]
  %135 = icmp ne i64 %127, 0
  call void @llvm.assume(i1 %135)
  br label %136
136:                                              ; preds = %136, %133
  %137 = phi i64 [ %134, %133 ], [ %143, %136 ]
  %138 = phi i64 [ 0, %133 ], [ %144, %136 ]
  %139 = getelementptr inbounds nuw ptr, ptr %31, i64 %137
  %140 = load atomic i64, ptr %139 monotonic, align 8
  %141 = inttoptr i64 %140 to ptr
  %142 = getelementptr inbounds nuw ptr, ptr %2, i64 %137
  store ptr %141, ptr %142, align 8
  %143 = add nuw nsw i64 %137, 1
  %144 = add i64 %138, 1
  %145 = icmp eq i64 %144, %127
  br i1 %145, label %146, label %136
146:                                              ; preds = %131, %136, %123
  %147 = load ptr, ptr %28, align 8
  %148 = getelementptr inbounds nuw i8, ptr %147, i64 200
  %149 = load atomic i64, ptr %148 monotonic, align 8
  %150 = shl i64 %101, 1
  %151 = icmp ult i64 %149, %150
  br i1 %151, label %177, label %185
152:                                              ; preds = %152, %129
  %153 = phi i64 [ 0, %129 ], [ %174, %152 ]
  %154 = phi i64 [ 0, %129 ], [ %175, %152 ]
  %155 = getelementptr inbounds nuw ptr, ptr %31, i64 %153
  %156 = load atomic i64, ptr %155 monotonic, align 8
  %157 = inttoptr i64 %156 to ptr
  %158 = getelementptr inbounds nuw ptr, ptr %2, i64 %153
  store ptr %157, ptr %158, align 16
  %159 = or disjoint i64 %153, 1
  %160 = getelementptr inbounds nuw ptr, ptr %31, i64 %159
  %161 = load atomic i64, ptr %160 monotonic, align 8
  %162 = inttoptr i64 %161 to ptr
  %163 = getelementptr inbounds nuw ptr, ptr %2, i64 %159
  store ptr %162, ptr %163, align 8
  %164 = or disjoint i64 %153, 2
  %165 = getelementptr inbounds nuw ptr, ptr %31, i64 %164
  %166 = load atomic i64, ptr %165 monotonic, align 8
  %167 = inttoptr i64 %166 to ptr
  %168 = getelementptr inbounds nuw ptr, ptr %2, i64 %164
  store ptr %167, ptr %168, align 16
  %169 = or disjoint i64 %153, 3
  %170 = getelementptr inbounds nuw ptr, ptr %31, i64 %169
  %171 = load atomic i64, ptr %170 monotonic, align 8
  %172 = inttoptr i64 %171 to ptr
  %173 = getelementptr inbounds nuw ptr, ptr %2, i64 %169
  store ptr %172, ptr %173, align 8
  %174 = add nuw nsw i64 %153, 4
  %175 = add i64 %154, 4
  %176 = icmp eq i64 %175, %130
  br i1 %176, label %131, label %152
177:                                              ; preds = %146
  %178 = or disjoint i64 %150, 1
  %179 = cmpxchg ptr %148, i64 %149, i64 %178 seq_cst seq_cst, align 8
  %180 = extractvalue { i64, i1 } %179, 1
  br i1 %180, label %181, label %185
181:                                              ; preds = %177
  store ptr %8, ptr %3, align 8
  store i64 %106, ptr %32, align 8
  store i64 %101, ptr %33, align 8
  store i64 %101, ptr %34, align 8
  store i64 0, ptr %35, align 8
  store i32 1, ptr %36, align 8
  store i32 0, ptr %37, align 4
  %182 = call i32 %103(ptr noundef nonnull %2, ptr noundef nonnull %40) #14
  %183 = load ptr, ptr %28, align 8
  %184 = getelementptr inbounds nuw i8, ptr %183, i64 328
  store atomic i64 %101, ptr %184 release, align 8
  br label %185
185:                                              ; preds = %146, %177, %181
  br label %300
186:                                              ; preds = %121
  %187 = load i32, ptr %26, align 8
  %188 = srem i32 %187, %109
  %189 = sext i32 %188 to i64
  %190 = icmp eq i32 %188, 0
  %191 = zext i1 %190 to i32
  %192 = shl i64 %101, 16
  %193 = or disjoint i64 %192, 1
  %194 = mul nsw i32 %188, %110
  %195 = add i32 %108, -1
  br label %196
196:                                              ; preds = %216, %186
  %197 = load ptr, ptr %28, align 8
  %198 = getelementptr inbounds %struct.share, ptr %197, i64 %189
  %199 = load atomic i64, ptr %198 acquire, align 64
  br label %200
200:                                              ; preds = %210, %196
  %201 = phi i64 [ %199, %196 ], [ %215, %210 ]
  %202 = lshr i64 %201, 16
  %203 = icmp eq i64 %202, %101
  %204 = trunc i64 %201 to i32
  %205 = and i32 %204, 65535
  %206 = select i1 %203, i32 %205, i32 %191
  %207 = icmp ule i64 %202, %101
  %208 = icmp slt i32 %206, %110
  %209 = select i1 %207, i1 %208, i1 false
  br i1 %209, label %210, label %235
210:                                              ; preds = %200
  %211 = zext nneg i32 %206 to i64
  %212 = add i64 %193, %211
  %213 = cmpxchg weak ptr %198, i64 %201, i64 %212 seq_cst seq_cst, align 64
  %214 = extractvalue { i64, i1 } %213, 1
  %215 = extractvalue { i64, i1 } %213, 0
  br i1 %214, label %216, label %200
216:                                              ; preds = %210
  %217 = add nsw i32 %206, %194
  %218 = zext i32 %217 to i64
  %219 = mul nsw i64 %106, %218
  %220 = mul i32 %217, %107
  %221 = add i32 %220, %195
  %222 = udiv i32 %221, %108
  %223 = zext i32 %222 to i64
  %224 = add nsw i64 %219, %223
  %225 = add i32 %217, 1
  %226 = zext i32 %225 to i64
  %227 = mul nsw i64 %106, %226
  %228 = mul i32 %225, %107
  %229 = add i32 %228, %195
  %230 = udiv i32 %229, %108
  %231 = zext i32 %230 to i64
  %232 = add nsw i64 %227, %231
  call void %103(ptr noundef %105, i64 noundef %224, i64 noundef %232) #14
  %233 = load atomic i64, ptr %27 monotonic, align 8
  %234 = add nsw i64 %233, 1
  store atomic i64 %234, ptr %27 release, align 8
  br label %196
235:                                              ; preds = %200
  %236 = icmp sgt i32 %109, 1
  br i1 %236, label %237, label %293
237:                                              ; preds = %235
  %238 = icmp slt i32 %110, 2
  br label %239
239:                                              ; preds = %237, %290
  %240 = phi i32 [ %291, %290 ], [ 1, %237 ]
  %241 = add nsw i32 %240, %188
  %242 = icmp slt i32 %241, %109
  %243 = select i1 %242, i32 0, i32 %109
  %244 = icmp eq i32 %241, %243
  %245 = select i1 %244, i1 %238, i1 false
  br i1 %245, label %290, label %246
246:                                              ; preds = %239
  %247 = sub nsw i32 %241, %243
  %248 = sext i32 %247 to i64
  %249 = zext i1 %244 to i32
  %250 = mul nsw i32 %247, %110
  br label %251
251:                                              ; preds = %271, %246
  %252 = load ptr, ptr %28, align 8
  %253 = getelementptr inbounds %struct.share, ptr %252, i64 %248
  %254 = load atomic i64, ptr %253 acquire, align 64
  br label %255
255:                                              ; preds = %265, %251
  %256 = phi i64 [ %254, %251 ], [ %270, %265 ]
  %257 = lshr i64 %256, 16
  %258 = icmp eq i64 %257, %101
  %259 = trunc i64 %256 to i32
  %260 = and i32 %259, 65535
  %261 = select i1 %258, i32 %260, i32 %249
  %262 = icmp ule i64 %257, %101
  %263 = icmp slt i32 %261, %110
  %264 = select i1 %262, i1 %263, i1 false
  br i1 %264, label %265, label %290
265:                                              ; preds = %255
  %266 = zext nneg i32 %261 to i64
  %267 = add i64 %193, %266
  %268 = cmpxchg weak ptr %253, i64 %256, i64 %267 seq_cst seq_cst, align 64
  %269 = extractvalue { i64, i1 } %268, 1
  %270 = extractvalue { i64, i1 } %268, 0
  br i1 %269, label %271, label %255
271:                                              ; preds = %265
  %272 = add nsw i32 %261, %250
  %273 = zext i32 %272 to i64
  %274 = mul nsw i64 %106, %273
  %275 = mul i32 %272, %107
  %276 = add i32 %275, %195
  %277 = udiv i32 %276, %108
  %278 = zext i32 %277 to i64
  %279 = add nsw i64 %274, %278
  %280 = add i32 %272, 1
  %281 = zext i32 %280 to i64
  %282 = mul nsw i64 %106, %281
  %283 = mul i32 %280, %107
  %284 = add i32 %283, %195
  %285 = udiv i32 %284, %108
  %286 = zext i32 %285 to i64
  %287 = add nsw i64 %282, %286
  call void %103(ptr noundef %105, i64 noundef %279, i64 noundef %287) #14
  %288 = load atomic i64, ptr %27 monotonic, align 8
  %289 = add nsw i64 %288, 1
  store atomic i64 %289, ptr %27 release, align 8
  br label %251
290:                                              ; preds = %255, %239
  %291 = add nuw nsw i32 %240, 1
  %292 = icmp eq i32 %291, %109
  br i1 %292, label %293, label %239
293:                                              ; preds = %290, %235
  fence seq_cst
  %294 = load atomic i32, ptr %29 seq_cst, align 4
  %295 = icmp eq i32 %294, 0
  br i1 %295, label %300, label %296
296:                                              ; preds = %293
  %297 = call i32 @pthread_mutex_lock(ptr noundef nonnull %14) #14
  %298 = call i32 @pthread_cond_signal(ptr noundef nonnull %30) #14
  %299 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %14) #14
  br label %300
300:                                              ; preds = %100, %97, %113, %296, %293, %185
  %301 = phi i64 [ %101, %185 ], [ %42, %97 ], [ %42, %113 ], [ %101, %296 ], [ %101, %293 ], [ %42, %100 ]
  %302 = load atomic i32, ptr %9 seq_cst, align 4
  %303 = icmp eq i32 %302, 0
  br i1 %303, label %41, label %304
304:                                              ; preds = %300, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #7
declare void @llvm.x86.sse.ldmxcsr(ptr) #14
declare void @llvm.x86.sse.stmxcsr(ptr) #15
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #16 {
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
declare i32 @llvm.smin.i32(i32, i32) #17
declare i64 @llvm.smin.i64(i64, i64) #17
declare i64 @llvm.smax.i64(i64, i64) #17
declare i32 @llvm.umin.i32(i32, i32) #17
declare i64 @llvm.umin.i64(i64, i64) #17
declare i64 @llvm.umax.i64(i64, i64) #17
declare void @llvm.assume(i1 noundef) #18
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
attributes #19 = { nounwind }
