; 127332b4410258f83bfbac41e519afc34a4a9d6e3f681c86386cde162f06c05c
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
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %struct.member, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 520
  %10 = load i64, ptr %9, align 8
  %11 = add i64 %10, 1
  store i64 %11, ptr %9, align 8
  %12 = icmp sgt i32 %3, 0
  br i1 %12, label %13, label %33
13:                                               ; preds = %5
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %15 = zext nneg i32 %3 to i64
  %16 = and i64 %15, 1
  %17 = icmp eq i32 %3, 1
  br i1 %17, label %22, label %18
18:                                               ; preds = %13
  %19 = and i64 %15, 2147483646
  br label %89
20:                                               ; preds = %110
  %21 = icmp eq i64 %16, 0
  br i1 %21, label %33, label %22
22:                                               ; preds = %20, %13
  %23 = phi i64 [ 0, %13 ], [ %111, %20 ]
  %24 = icmp ne i64 %16, 0
  tail call void @llvm.assume(i1 %24)
  %25 = getelementptr inbounds nuw ptr, ptr %14, i64 %23
  %26 = load atomic i64, ptr %25 monotonic, align 8
  %27 = inttoptr i64 %26 to ptr
  %28 = getelementptr inbounds nuw ptr, ptr %2, i64 %23
  %29 = load ptr, ptr %28, align 8
  %30 = icmp eq ptr %29, %27
  br i1 %30, label %33, label %31
31:                                               ; preds = %22
  %32 = ptrtoint ptr %29 to i64
  store atomic i64 %32, ptr %25 monotonic, align 8
  br label %33
33:                                               ; preds = %20, %31, %22, %5
  store atomic i64 0, ptr %0 monotonic, align 64
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %35 = ptrtoint ptr %1 to i64
  store atomic i64 %35, ptr %34 release, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store atomic i64 0, ptr %36 release, align 16
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %4, ptr %37 release, align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %3, ptr %38 release, align 32
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 1, ptr %39 release, align 4
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 0, ptr %40 release, align 8
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 1, ptr %41 release, align 4
  store atomic i64 %11, ptr %0 release, align 64
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %43 = load i64, ptr %42, align 8
  %44 = icmp sgt i64 %43, 63
  br i1 %44, label %45, label %58
45:                                               ; preds = %33
  fence seq_cst
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %47 = load atomic i32, ptr %46 seq_cst, align 64
  %48 = icmp sgt i32 %47, 0
  br i1 %48, label %49, label %58
49:                                               ; preds = %45
  store i64 0, ptr %42, align 8
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %51 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %50) #14
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %53 = load i32, ptr %52, align 4
  %54 = add i32 %53, 1
  store i32 %54, ptr %52, align 4
  %55 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %50) #14
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 400
  %57 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %56) #14
  br label %58
58:                                               ; preds = %33, %45, %49
  store ptr %0, ptr %8, align 8
  %59 = getelementptr inbounds nuw i8, ptr %8, i64 8
  store i64 %4, ptr %59, align 8
  %60 = getelementptr inbounds nuw i8, ptr %8, i64 16
  store i64 %11, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %8, i64 24
  store i64 %11, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %63 = ptrtoint ptr %8 to i64
  %64 = or disjoint i64 %63, 1
  %65 = inttoptr i64 %64 to ptr
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %62, i8 0, i64 16, i1 false)
  %66 = call i32 %1(ptr noundef %2, ptr noundef nonnull %65) #14
  %67 = load i64, ptr %61, align 8
  store i64 %67, ptr %9, align 8
  %68 = load ptr, ptr %8, align 8
  %69 = getelementptr inbounds nuw i8, ptr %68, i64 328
  %70 = load ptr, ptr %69, align 8
  %71 = getelementptr inbounds nuw i8, ptr %70, i64 320
  %72 = load atomic i64, ptr %71 monotonic, align 64
  %73 = load i64, ptr %60, align 8
  %74 = shl i64 %73, 1
  %75 = icmp ugt i64 %72, %74
  br i1 %75, label %82, label %76
76:                                               ; preds = %58
  %77 = getelementptr inbounds nuw i8, ptr %70, i64 200
  %78 = atomicrmw xchg ptr %77, i64 %74 seq_cst, align 8
  %79 = load i64, ptr %60, align 8
  %80 = shl i64 %79, 1
  %81 = icmp ugt i64 %78, %80
  br i1 %81, label %82, label %121
82:                                               ; preds = %58, %76
  %83 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %84 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %85 = load ptr, ptr %83, align 8
  %86 = getelementptr inbounds nuw i8, ptr %85, i64 328
  %87 = load atomic i64, ptr %86 acquire, align 8
  %88 = icmp eq i64 %87, %11
  br i1 %88, label %114, label %132
89:                                               ; preds = %110, %18
  %90 = phi i64 [ 0, %18 ], [ %111, %110 ]
  %91 = phi i64 [ 0, %18 ], [ %112, %110 ]
  %92 = getelementptr inbounds nuw ptr, ptr %14, i64 %90
  %93 = load atomic i64, ptr %92 monotonic, align 8
  %94 = inttoptr i64 %93 to ptr
  %95 = getelementptr inbounds nuw ptr, ptr %2, i64 %90
  %96 = load ptr, ptr %95, align 8
  %97 = icmp eq ptr %96, %94
  br i1 %97, label %100, label %98
98:                                               ; preds = %89
  %99 = ptrtoint ptr %96 to i64
  store atomic i64 %99, ptr %92 monotonic, align 8
  br label %100
100:                                              ; preds = %89, %98
  %101 = or disjoint i64 %90, 1
  %102 = getelementptr inbounds nuw ptr, ptr %14, i64 %101
  %103 = load atomic i64, ptr %102 monotonic, align 8
  %104 = inttoptr i64 %103 to ptr
  %105 = getelementptr inbounds nuw ptr, ptr %2, i64 %101
  %106 = load ptr, ptr %105, align 8
  %107 = icmp eq ptr %106, %104
  br i1 %107, label %110, label %108
108:                                              ; preds = %100
  %109 = ptrtoint ptr %106 to i64
  store atomic i64 %109, ptr %102 monotonic, align 8
  br label %110
110:                                              ; preds = %108, %100
  %111 = add nuw nsw i64 %90, 2
  %112 = add i64 %91, 2
  %113 = icmp eq i64 %112, %19
  br i1 %113, label %20, label %89
114:                                              ; preds = %155, %82
  %115 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store i32 0, ptr %115, align 8
  %116 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %117 = load i32, ptr %116, align 4
  %118 = icmp sgt i32 %117, 4
  %119 = sext i1 %118 to i32
  %120 = add i32 %117, %119
  store i32 %120, ptr %116, align 4
  br label %131
121:                                              ; preds = %76
  %122 = getelementptr inbounds nuw i8, ptr %0, i64 552
  %123 = load i32, ptr %122, align 8
  %124 = add nsw i32 %123, 1
  store i32 %124, ptr %122, align 8
  %125 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %126 = load i32, ptr %125, align 4
  %127 = icmp slt i32 %124, %126
  br i1 %127, label %131, label %128
128:                                              ; preds = %121
  store i32 0, ptr %122, align 8
  %129 = call i32 @llvm.smin.i32(i32 %126, i32 32)
  %130 = shl i32 %129, 1
  store i32 %130, ptr %125, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %131
131:                                              ; preds = %114, %121, %128
  ret i32 %66
132:                                              ; preds = %82, %155
  %133 = phi i32 [ %135, %155 ], [ 0, %82 ]
  %134 = phi i64 [ %156, %155 ], [ 0, %82 ]
  call void @llvm.x86.sse2.pause()
  %135 = add i32 %133, 1
  %136 = and i32 %135, 63
  %137 = icmp eq i32 %136, 0
  br i1 %137, label %138, label %155
138:                                              ; preds = %132
  %139 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #14
  %140 = load i64, ptr %6, align 8
  %141 = mul nsw i64 %140, 1000000000
  %142 = load i64, ptr %84, align 8
  %143 = add nsw i64 %141, %142
  %144 = icmp ne i32 %135, 64
  %145 = select i1 %144, i64 %134, i64 %143
  %146 = sub i64 %143, %134
  %147 = icmp sgt i64 %146, 50000
  %148 = select i1 %144, i1 %147, i1 false
  br i1 %148, label %149, label %155
149:                                              ; preds = %138
  %150 = call i32 @sched_yield() #14
  %151 = sub nsw i64 %143, %145
  %152 = icmp sgt i64 %151, 999999
  br i1 %152, label %153, label %155
153:                                              ; preds = %149
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %7, ptr noundef nonnull align 8 dereferenceable(16) @__const.stand_by.nap, i64 16, i1 false)
  %154 = call i32 @nanosleep(ptr noundef nonnull %7, ptr noundef null) #14
  br label %155
155:                                              ; preds = %132, %138, %149, %153
  %156 = phi i64 [ %145, %153 ], [ %145, %149 ], [ %145, %138 ], [ %134, %132 ]
  %157 = load ptr, ptr %83, align 8
  %158 = getelementptr inbounds nuw i8, ptr %157, i64 328
  %159 = load atomic i64, ptr %158 acquire, align 8
  %160 = icmp eq i64 %159, %11
  br i1 %160, label %114, label %132
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
