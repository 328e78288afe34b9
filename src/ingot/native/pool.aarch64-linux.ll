; 958843566696bedf398f9c764a46c2b442bce513a07993f0cfdfa99023400c01
; Made from pool.c, pool_loop.h, pool_costs.h, pool_team.h, pool_ways.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.timespec = type { i64, i64 }
%struct.share = type { i64, i64, [48 x i8], i64, i32, ptr, [40 x i8], i64, i64, [48 x i8] }
%union.pthread_attr_t = type { i64, [56 x i8] }
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
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4736) #15
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %74
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #15
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #15
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #15
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #15
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
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #16
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 504
  store ptr %25, ptr %27, align 8
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 328
  %31 = mul nuw nsw i64 %24, 192
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #15
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
  %43 = call i64 @sysconf(i32 noundef 30) #15
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #15
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 504
  %47 = load ptr, ptr %46, align 8
  call void @free(ptr noundef %47) #15
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #15
  call void @free(ptr noundef nonnull %37) #15
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
  %6 = tail call i32 @getpid() #15
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 52
  store atomic i32 1, ptr %9 seq_cst, align 4
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #15
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #15
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #15
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 504
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 456
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #15
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #15
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #15
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 8
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #15
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
  %40 = tail call i64 @sysconf(i32 noundef 30) #15
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #15
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 504
  %44 = load ptr, ptr %43, align 8
  tail call void @free(ptr noundef %44) #15
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #15
  tail call void @free(ptr noundef nonnull %0) #15
  br label %47
47:                                               ; preds = %1, %42
  ret void
}
declare i32 @getpid() local_unnamed_addr #0
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #0
define i32 @ingot_pool_threads(ptr noundef %0) local_unnamed_addr #7 {
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
  br i1 %8, label %396, label %9
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
  br i1 %17, label %310, label %18
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
  br i1 %46, label %47, label %396
47:                                               ; preds = %39
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #15
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
  br label %396
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
  %82 = freeze i64 %81
  %83 = udiv i64 %3, %82
  %84 = mul i64 %83, %82
  %85 = sub i64 %3, %84
  %86 = trunc nuw nsw i64 %85 to i32
  br i1 %73, label %87, label %141
87:                                               ; preds = %72
  %88 = add nsw i32 %80, -1
  %89 = trunc nuw nsw i32 %88 to i8
  %90 = trunc nuw nsw i32 %80 to i8
  %91 = udiv i8 %89, %90
  %92 = zext nneg i8 %91 to i64
  %93 = add nuw nsw i32 %88, %86
  %94 = trunc nuw nsw i32 %93 to i8
  %95 = udiv i8 %94, %90
  %96 = zext nneg i8 %95 to i64
  %97 = add nuw nsw i64 %83, %96
  tail call void %1(ptr noundef %2, i64 noundef %92, i64 noundef %97) #15
  %98 = icmp samesign ugt i64 %75, 3
  br i1 %98, label %99, label %185
99:                                               ; preds = %87
  %100 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %101 = shl i64 %61, 16
  %102 = or disjoint i64 %101, 1
  br label %103
103:                                              ; preds = %123, %99
  %104 = phi i32 [ 0, %99 ], [ %138, %123 ]
  %105 = load ptr, ptr %100, align 8
  %106 = load atomic i64, ptr %105 acquire, align 64
  br label %107
107:                                              ; preds = %117, %103
  %108 = phi i64 [ %106, %103 ], [ %122, %117 ]
  %109 = lshr i64 %108, 16
  %110 = icmp eq i64 %109, %61
  %111 = trunc i64 %108 to i32
  %112 = and i32 %111, 65535
  %113 = select i1 %110, i32 %112, i32 1
  %114 = icmp ule i64 %109, %61
  %115 = icmp samesign ult i32 %113, %79
  %116 = select i1 %114, i1 %115, i1 false
  br i1 %116, label %117, label %139
117:                                              ; preds = %107
  %118 = zext nneg i32 %113 to i64
  %119 = add nuw i64 %102, %118
  %120 = cmpxchg weak ptr %105, i64 %108, i64 %119 seq_cst seq_cst, align 64
  %121 = extractvalue { i64, i1 } %120, 1
  %122 = extractvalue { i64, i1 } %120, 0
  br i1 %121, label %123, label %107
123:                                              ; preds = %117
  %124 = mul nuw nsw i64 %83, %118
  %125 = mul nuw nsw i32 %113, %86
  %126 = add nuw nsw i32 %125, %88
  %127 = udiv i32 %126, %80
  %128 = zext nneg i32 %127 to i64
  %129 = add nuw nsw i64 %124, %128
  %130 = add nuw nsw i32 %113, 1
  %131 = zext nneg i32 %130 to i64
  %132 = mul nuw nsw i64 %83, %131
  %133 = mul nuw nsw i32 %130, %86
  %134 = add nuw nsw i32 %133, %88
  %135 = udiv i32 %134, %80
  %136 = zext nneg i32 %135 to i64
  %137 = add nuw nsw i64 %132, %136
  tail call void %1(ptr noundef %2, i64 noundef %129, i64 noundef %137) #15
  %138 = add nuw nsw i32 %104, 1
  br label %103
139:                                              ; preds = %107
  %140 = add nuw nsw i32 %104, 1
  br label %185
141:                                              ; preds = %72
  %142 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %143 = shl i64 %61, 16
  %144 = or disjoint i64 %143, 1
  %145 = add nsw i32 %80, -1
  br label %146
146:                                              ; preds = %167, %141
  %147 = phi i32 [ 0, %141 ], [ %184, %167 ]
  %148 = load ptr, ptr %142, align 8
  %149 = getelementptr inbounds nuw i8, ptr %148, i64 192
  %150 = load atomic i64, ptr %149 acquire, align 64
  br label %151
151:                                              ; preds = %161, %146
  %152 = phi i64 [ %150, %146 ], [ %166, %161 ]
  %153 = lshr i64 %152, 16
  %154 = icmp eq i64 %153, %61
  %155 = trunc i64 %152 to i32
  %156 = and i32 %155, 65535
  %157 = select i1 %154, i32 %156, i32 0
  %158 = icmp ule i64 %153, %61
  %159 = icmp samesign ult i32 %157, %79
  %160 = select i1 %158, i1 %159, i1 false
  br i1 %160, label %161, label %185
161:                                              ; preds = %151
  %162 = zext nneg i32 %157 to i64
  %163 = add nuw i64 %144, %162
  %164 = cmpxchg weak ptr %149, i64 %152, i64 %163 seq_cst seq_cst, align 64
  %165 = extractvalue { i64, i1 } %164, 1
  %166 = extractvalue { i64, i1 } %164, 0
  br i1 %165, label %167, label %151
167:                                              ; preds = %161
  %168 = add nuw nsw i32 %157, %79
  %169 = zext nneg i32 %168 to i64
  %170 = mul nuw nsw i64 %83, %169
  %171 = mul nuw nsw i32 %168, %86
  %172 = add nuw nsw i32 %171, %145
  %173 = udiv i32 %172, %80
  %174 = zext nneg i32 %173 to i64
  %175 = add nuw nsw i64 %170, %174
  %176 = add nuw nsw i32 %168, 1
  %177 = zext nneg i32 %176 to i64
  %178 = mul nuw nsw i64 %83, %177
  %179 = mul nuw nsw i32 %176, %86
  %180 = add nuw nsw i32 %179, %145
  %181 = udiv i32 %180, %80
  %182 = zext nneg i32 %181 to i64
  %183 = add nuw nsw i64 %178, %182
  tail call void %1(ptr noundef %2, i64 noundef %175, i64 noundef %183) #15
  %184 = add nuw nsw i32 %147, 1
  br label %146
185:                                              ; preds = %151, %139, %87
  %186 = phi i32 [ 1, %87 ], [ %140, %139 ], [ %147, %151 ]
  %187 = shl i64 %61, 1
  %188 = load ptr, ptr %20, align 8
  %189 = getelementptr inbounds nuw i8, ptr %188, i64 328
  %190 = load ptr, ptr %189, align 8
  %191 = load i32, ptr %62, align 8
  %192 = sext i32 %191 to i64
  %193 = getelementptr inbounds %struct.share, ptr %190, i64 %192
  %194 = getelementptr inbounds nuw i8, ptr %193, i64 128
  store atomic i64 %187, ptr %194 release, align 64
  %195 = load i32, ptr %62, align 8
  %196 = icmp eq i32 %195, 0
  br i1 %196, label %197, label %207
197:                                              ; preds = %185
  %198 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %199 = load ptr, ptr %198, align 8
  %200 = getelementptr inbounds nuw i8, ptr %199, i64 320
  %201 = load atomic i64, ptr %200 monotonic, align 64
  %202 = getelementptr inbounds nuw i8, ptr %20, i64 16
  %203 = load i64, ptr %202, align 8
  %204 = shl i64 %203, 1
  %205 = icmp ugt i64 %201, %204
  %206 = select i1 %205, i32 64, i32 8
  br label %207
207:                                              ; preds = %197, %185
  %208 = phi i32 [ %206, %197 ], [ 64, %185 ]
  br label %209
209:                                              ; preds = %207, %232
  %210 = phi i32 [ %233, %232 ], [ %208, %207 ]
  %211 = load ptr, ptr %20, align 8
  %212 = getelementptr inbounds nuw i8, ptr %211, i64 328
  %213 = load ptr, ptr %212, align 8
  %214 = load i32, ptr %62, align 8
  %215 = sub nsw i32 1, %214
  %216 = sext i32 %215 to i64
  %217 = getelementptr inbounds %struct.share, ptr %213, i64 %216
  %218 = getelementptr inbounds nuw i8, ptr %217, i64 128
  %219 = load atomic i64, ptr %218 acquire, align 64
  %220 = icmp ult i64 %219, %187
  br i1 %220, label %232, label %221
221:                                              ; preds = %232, %209
  %222 = load ptr, ptr %20, align 8
  %223 = getelementptr inbounds nuw i8, ptr %222, i64 328
  %224 = load ptr, ptr %223, align 8
  %225 = load i32, ptr %62, align 8
  %226 = sub nsw i32 1, %225
  %227 = sext i32 %226 to i64
  %228 = getelementptr inbounds %struct.share, ptr %224, i64 %227
  %229 = getelementptr inbounds nuw i8, ptr %228, i64 128
  %230 = load atomic i64, ptr %229 acquire, align 64
  %231 = icmp ult i64 %230, %187
  br i1 %231, label %235, label %306
232:                                              ; preds = %209
  tail call void asm sideeffect "yield", ""() #15
  %233 = add nsw i32 %210, -1
  %234 = icmp sgt i32 %210, 1
  br i1 %234, label %209, label %221
235:                                              ; preds = %221
  %236 = load i32, ptr %62, align 8
  %237 = icmp eq i32 %236, 0
  %238 = icmp samesign ugt i64 %75, 3
  %239 = select i1 %237, i1 true, i1 %238
  br i1 %239, label %240, label %306
240:                                              ; preds = %235
  %241 = add i64 %187, -1
  %242 = load ptr, ptr %20, align 8
  %243 = getelementptr inbounds nuw i8, ptr %242, i64 328
  %244 = load ptr, ptr %243, align 8
  %245 = sext i32 %236 to i64
  %246 = getelementptr inbounds %struct.share, ptr %244, i64 %245
  %247 = getelementptr inbounds nuw i8, ptr %246, i64 128
  store atomic i64 %241, ptr %247 release, align 64
  %248 = load i32, ptr %62, align 8
  %249 = sub nsw i32 1, %248
  %250 = getelementptr inbounds nuw i8, ptr %58, i64 328
  %251 = sext i32 %249 to i64
  %252 = icmp eq i32 %248, 1
  %253 = zext i1 %252 to i32
  %254 = shl i64 %61, 16
  %255 = or disjoint i64 %254, 1
  %256 = mul nsw i32 %249, %79
  %257 = add nsw i32 %80, -1
  br label %258
258:                                              ; preds = %279, %240
  %259 = phi i32 [ 0, %240 ], [ %296, %279 ]
  %260 = load ptr, ptr %250, align 8
  %261 = getelementptr inbounds %struct.share, ptr %260, i64 %251
  %262 = load atomic i64, ptr %261 acquire, align 64
  br label %263
263:                                              ; preds = %273, %258
  %264 = phi i64 [ %262, %258 ], [ %278, %273 ]
  %265 = lshr i64 %264, 16
  %266 = icmp eq i64 %265, %61
  %267 = trunc i64 %264 to i32
  %268 = and i32 %267, 65535
  %269 = select i1 %266, i32 %268, i32 %253
  %270 = icmp ule i64 %265, %61
  %271 = icmp samesign ult i32 %269, %79
  %272 = select i1 %270, i1 %271, i1 false
  br i1 %272, label %273, label %297
273:                                              ; preds = %263
  %274 = zext nneg i32 %269 to i64
  %275 = add nuw i64 %255, %274
  %276 = cmpxchg weak ptr %261, i64 %264, i64 %275 seq_cst seq_cst, align 64
  %277 = extractvalue { i64, i1 } %276, 1
  %278 = extractvalue { i64, i1 } %276, 0
  br i1 %277, label %279, label %263
279:                                              ; preds = %273
  %280 = add nsw i32 %269, %256
  %281 = zext i32 %280 to i64
  %282 = mul nuw nsw i64 %83, %281
  %283 = mul i32 %280, %86
  %284 = add i32 %283, %257
  %285 = udiv i32 %284, %80
  %286 = zext nneg i32 %285 to i64
  %287 = add nuw nsw i64 %282, %286
  %288 = add i32 %280, 1
  %289 = zext i32 %288 to i64
  %290 = mul nuw nsw i64 %83, %289
  %291 = mul i32 %288, %86
  %292 = add i32 %291, %257
  %293 = udiv i32 %292, %80
  %294 = zext nneg i32 %293 to i64
  %295 = add nuw nsw i64 %290, %294
  tail call void %1(ptr noundef %2, i64 noundef %287, i64 noundef %295) #15
  %296 = add nuw nsw i32 %259, 1
  br label %258
297:                                              ; preds = %263
  %298 = add nsw i32 %259, %186
  %299 = load ptr, ptr %20, align 8
  %300 = getelementptr inbounds nuw i8, ptr %299, i64 328
  %301 = load ptr, ptr %300, align 8
  %302 = load i32, ptr %62, align 8
  %303 = sext i32 %302 to i64
  %304 = getelementptr inbounds %struct.share, ptr %301, i64 %303
  %305 = getelementptr inbounds nuw i8, ptr %304, i64 128
  store atomic i64 %187, ptr %305 release, align 64
  br label %306
306:                                              ; preds = %297, %235, %221
  %307 = phi i32 [ %186, %221 ], [ %298, %297 ], [ %186, %235 ]
  %308 = icmp slt i32 %307, %80
  br i1 %308, label %309, label %396
309:                                              ; preds = %306
  tail call fastcc void @wait_for_other(ptr noundef nonnull %20, i64 noundef %61)
  br label %396
310:                                              ; preds = %13
  %311 = icmp eq ptr %0, null
  %312 = icmp samesign ult i64 %14, 2
  %313 = or i1 %311, %312
  br i1 %313, label %318, label %314
314:                                              ; preds = %310
  %315 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %316 = load i32, ptr %315, align 4
  %317 = icmp eq i32 %316, 1
  br i1 %317, label %318, label %319
318:                                              ; preds = %314, %310
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #15
  br label %396
319:                                              ; preds = %314
  %320 = tail call fastcc i32 @start(ptr noundef %0)
  %321 = icmp eq i32 %320, 0
  br i1 %321, label %326, label %322
322:                                              ; preds = %319
  %323 = getelementptr inbounds nuw i8, ptr %0, i64 512
  %324 = atomicrmw xchg ptr %323, i32 1 seq_cst, align 64
  %325 = icmp eq i32 %324, 0
  br i1 %325, label %327, label %326
326:                                              ; preds = %322, %319
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #15
  br label %396
327:                                              ; preds = %322
  %328 = getelementptr inbounds nuw i8, ptr %0, i64 564
  %329 = load i32, ptr %328, align 4
  %330 = add nsw i32 %329, -1
  store i32 %330, ptr %328, align 4
  %331 = icmp slt i32 %329, 2
  br i1 %331, label %332, label %333
332:                                              ; preds = %327
  tail call fastcc void @weigh(ptr noundef %0)
  br label %333
333:                                              ; preds = %332, %327
  %334 = icmp slt i64 %4, 0
  br i1 %334, label %335, label %341
335:                                              ; preds = %333
  %336 = sub nsw i64 0, %4
  %337 = udiv i64 9223372036854775807, %336
  %338 = icmp samesign ult i64 %3, %337
  %339 = mul nuw nsw i64 %3, %336
  %340 = select i1 %338, i64 %339, i64 9223372036854775807
  br label %345
341:                                              ; preds = %333
  %342 = icmp samesign ugt i64 %4, 1
  br i1 %342, label %343, label %345
343:                                              ; preds = %341
  %344 = udiv i64 %3, %4
  br label %345
345:                                              ; preds = %335, %341, %343
  %346 = phi i64 [ %340, %335 ], [ %344, %343 ], [ 9223372036854775807, %341 ]
  %347 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %348 = load i32, ptr %347, align 4
  %349 = icmp eq i32 %348, 3
  br i1 %349, label %350, label %353
350:                                              ; preds = %345
  %351 = getelementptr inbounds nuw i8, ptr %0, i64 600
  %352 = load i32, ptr %351, align 8
  br label %353
353:                                              ; preds = %350, %345
  %354 = phi i32 [ %352, %350 ], [ %348, %345 ]
  switch i32 %354, label %358 [
    i32 0, label %359
    i32 1, label %355
  ]
355:                                              ; preds = %353
  %356 = getelementptr inbounds nuw i8, ptr %0, i64 544
  %357 = load i64, ptr %356, align 32
  br label %359
358:                                              ; preds = %353
  br label %359
359:                                              ; preds = %353, %355, %358
  %360 = phi i64 [ 2, %353 ], [ %357, %355 ], [ 9223372036854775807, %358 ]
  %361 = icmp slt i64 %346, %360
  %362 = icmp samesign ugt i64 %346, 1
  %363 = select i1 %361, i1 %362, i1 false
  %364 = zext i1 %363 to i64
  %365 = getelementptr inbounds nuw i8, ptr %0, i64 592
  %366 = load i64, ptr %365, align 16
  %367 = add nsw i64 %366, %364
  store i64 %367, ptr %365, align 16
  %368 = icmp ne i32 %348, 3
  %369 = select i1 %368, i1 %362, i1 false
  %370 = icmp ne i64 %4, 1
  %371 = and i1 %370, %369
  br i1 %371, label %372, label %379
372:                                              ; preds = %359
  %373 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #15
  %374 = load i64, ptr %7, align 8
  %375 = mul nsw i64 %374, 1000000000
  %376 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %377 = load i64, ptr %376, align 8
  %378 = add nsw i64 %375, %377
  br label %379
379:                                              ; preds = %359, %372
  %380 = phi i64 [ %378, %372 ], [ 0, %359 ]
  br i1 %361, label %382, label %381
381:                                              ; preds = %379
  call fastcc void @do_together(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %14, i64 noundef %346)
  br label %383
382:                                              ; preds = %379
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #15
  br label %383
383:                                              ; preds = %382, %381
  %384 = icmp eq i64 %380, 0
  br i1 %384, label %395, label %385
385:                                              ; preds = %383
  %386 = load i32, ptr %347, align 4
  %387 = icmp eq i32 %386, 3
  br i1 %387, label %395, label %388
388:                                              ; preds = %385
  %389 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #15
  %390 = load i64, ptr %6, align 8
  %391 = mul nsw i64 %390, 1000000000
  %392 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %393 = load i64, ptr %392, align 8
  %394 = add nsw i64 %391, %393
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i32 noundef 1, i64 noundef %380, i64 noundef %394)
  br label %395
395:                                              ; preds = %388, %385, %383
  store atomic i32 0, ptr %323 release, align 64
  br label %396
396:                                              ; preds = %309, %306, %47, %39, %318, %326, %395, %5
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
  br i1 %10, label %11, label %88
11:                                               ; preds = %8, %1
  %12 = tail call i32 @getpid() #15
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %14 = load atomic i32, ptr %13 seq_cst, align 8
  %15 = icmp eq i32 %14, %12
  br i1 %15, label %88, label %16
16:                                               ; preds = %11
  %17 = sub nsw i32 0, %12
  %18 = icmp eq i32 %14, %17
  br i1 %18, label %88, label %19
19:                                               ; preds = %16
  %20 = cmpxchg ptr %13, i32 %14, i32 %17 seq_cst seq_cst, align 8
  %21 = extractvalue { i32, i1 } %20, 1
  br i1 %21, label %22, label %88
22:                                               ; preds = %19
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %24 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %23, ptr noundef null) #15
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %26 = tail call i32 @pthread_cond_init(ptr noundef nonnull %25, ptr noundef null) #15
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 456
  %28 = tail call i32 @pthread_cond_init(ptr noundef nonnull %27, ptr noundef null) #15
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
  store <2 x i32> splat (i32 1), ptr %43, align 8
  %44 = call i32 @pthread_attr_init(ptr noundef nonnull %2) #15
  %45 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %2, i64 noundef 4194304) #15
  %46 = call i32 @sigfillset(ptr noundef nonnull %3) #15
  %47 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 11) #15
  %48 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 7) #15
  %49 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 8) #15
  %50 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 4) #15
  %51 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 5) #15
  %52 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef 31) #15
  %53 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #15
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 348
  %56 = load i32, ptr %55, align 4
  %57 = icmp sgt i32 %56, 1
  br i1 %57, label %58, label %81
58:                                               ; preds = %22
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 504
  br label %60
60:                                               ; preds = %58, %74
  %61 = phi i64 [ 1, %58 ], [ %77, %74 ]
  %62 = load ptr, ptr %54, align 8
  %63 = getelementptr inbounds nuw %struct.share, ptr %62, i64 %61
  %64 = getelementptr inbounds nuw i8, ptr %63, i64 80
  store ptr %0, ptr %64, align 16
  %65 = getelementptr inbounds nuw i8, ptr %63, i64 72
  %66 = trunc nuw nsw i64 %61 to i32
  store i32 %66, ptr %65, align 8
  %67 = getelementptr inbounds nuw i8, ptr %63, i64 64
  store atomic i64 0, ptr %67 seq_cst, align 64
  %68 = load ptr, ptr %59, align 8
  %69 = load i32, ptr %32, align 32
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds i64, ptr %68, i64 %70
  %72 = call i32 @pthread_create(ptr noundef %71, ptr noundef nonnull %2, ptr noundef nonnull @work, ptr noundef nonnull %63) #15
  %73 = icmp eq i32 %72, 0
  br i1 %73, label %74, label %81
74:                                               ; preds = %60
  %75 = load i32, ptr %32, align 32
  %76 = add nsw i32 %75, 1
  store i32 %76, ptr %32, align 32
  %77 = add nuw nsw i64 %61, 1
  %78 = load i32, ptr %55, align 4
  %79 = sext i32 %78 to i64
  %80 = icmp slt i64 %77, %79
  br i1 %80, label %60, label %81
81:                                               ; preds = %74, %60, %22
  %82 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #15
  %83 = call i32 @pthread_attr_destroy(ptr noundef nonnull %2) #15
  store atomic i32 %12, ptr %13 seq_cst, align 8
  %84 = load ptr, ptr %5, align 16
  %85 = icmp eq ptr %84, null
  br i1 %85, label %87, label %86
86:                                               ; preds = %81
  store atomic i32 1, ptr %84 release, align 4
  br label %87
87:                                               ; preds = %86, %81
  br label %88
88:                                               ; preds = %87, %11, %19, %16, %8
  %89 = phi i32 [ 1, %8 ], [ 1, %87 ], [ 1, %11 ], [ 0, %19 ], [ 0, %16 ]
  ret i32 %89
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
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #15
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
  br label %260
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
  br label %260
42:                                               ; preds = %33
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 1, ptr %43, align 4
  %44 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #15
  %45 = load i64, ptr %5, align 8
  %46 = mul nsw i64 %45, 1000000000
  %47 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %48 = load i64, ptr %47, align 8
  %49 = add nsw i64 %46, %48
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 576
  store i64 %49, ptr %50, align 64
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #15
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %54 = load i32, ptr %53, align 4
  %55 = add i32 %54, 1
  store i32 %55, ptr %53, align 4
  %56 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #15
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %58 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %57) #15
  br label %260
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
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %76 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %78 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %81 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %84
82:                                               ; preds = %182
  %83 = icmp eq i64 %195, 9223372036854775807
  br i1 %83, label %200, label %201
84:                                               ; preds = %59, %182
  %85 = phi i64 [ 9223372036854775807, %59 ], [ %195, %182 ]
  %86 = phi i32 [ 0, %59 ], [ %196, %182 ]
  %87 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #15
  %88 = load i64, ptr %4, align 8
  %89 = load i64, ptr %64, align 8
  %90 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #15
  %91 = load i64, ptr %3, align 8
  %92 = load i64, ptr %65, align 8
  %93 = load i64, ptr %66, align 8
  %94 = add i64 %93, 1
  store i64 %94, ptr %66, align 8
  store atomic i64 0, ptr %0 monotonic, align 64
  store atomic i64 ptrtoint (ptr @do_nothing to i64), ptr %67 release, align 8
  store atomic i64 0, ptr %68 release, align 16
  store atomic i64 1, ptr %69 release, align 8
  store atomic i32 0, ptr %70 release, align 32
  store atomic i32 2, ptr %71 release, align 4
  store atomic i32 2, ptr %72 release, align 8
  store atomic i32 1, ptr %73 release, align 4
  %95 = call i64 asm sideeffect "mrs $0, fpcr", "=r"() #15
  %96 = trunc i64 %95 to i32
  %97 = and i32 %96, 134160135
  store atomic i32 %97, ptr %74 release, align 16
  store atomic i64 %94, ptr %0 release, align 64
  %98 = load i64, ptr %75, align 8
  %99 = icmp sgt i64 %98, 63
  br i1 %99, label %100, label %109
100:                                              ; preds = %84
  fence seq_cst
  %101 = load atomic i32, ptr %24 seq_cst, align 64
  %102 = icmp sgt i32 %101, 0
  br i1 %102, label %103, label %109
103:                                              ; preds = %100
  store i64 0, ptr %75, align 8
  %104 = call i32 @pthread_mutex_lock(ptr noundef nonnull %76) #15
  %105 = load i32, ptr %77, align 4
  %106 = add i32 %105, 1
  store i32 %106, ptr %77, align 4
  %107 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %76) #15
  %108 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %78) #15
  br label %109
109:                                              ; preds = %103, %100, %84
  %110 = load i64, ptr %79, align 16
  %111 = add nsw i64 %110, 1
  store i64 %111, ptr %79, align 16
  %112 = load i32, ptr %26, align 32
  %113 = icmp slt i32 %112, 1
  br i1 %113, label %128, label %114
114:                                              ; preds = %109, %114
  %115 = phi i64 [ %122, %114 ], [ 1, %109 ]
  %116 = phi i64 [ %121, %114 ], [ 0, %109 ]
  %117 = load ptr, ptr %80, align 8
  %118 = getelementptr inbounds nuw %struct.share, ptr %117, i64 %115
  %119 = getelementptr inbounds nuw i8, ptr %118, i64 64
  %120 = load atomic i64, ptr %119 seq_cst, align 64
  %121 = add nsw i64 %120, %116
  %122 = add nuw nsw i64 %115, 1
  %123 = load i32, ptr %26, align 32
  %124 = sext i32 %123 to i64
  %125 = icmp slt i64 %115, %124
  br i1 %125, label %114, label %126
126:                                              ; preds = %114
  %127 = load i64, ptr %79, align 16
  br label %128
128:                                              ; preds = %126, %109
  %129 = phi i64 [ %111, %109 ], [ %127, %126 ]
  %130 = phi i64 [ 0, %109 ], [ %121, %126 ]
  %131 = icmp eq i64 %130, %129
  br i1 %131, label %132, label %159
132:                                              ; preds = %175, %128
  %133 = phi i1 [ true, %128 ], [ %178, %175 ]
  %134 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #15
  %135 = load i64, ptr %2, align 8
  %136 = load i64, ptr %81, align 8
  %137 = shl i64 %94, 16
  %138 = or disjoint i64 %137, 1
  br label %139
139:                                              ; preds = %157, %132
  %140 = phi i32 [ 0, %132 ], [ %158, %157 ]
  %141 = load ptr, ptr %80, align 8
  %142 = getelementptr inbounds nuw i8, ptr %141, i64 192
  %143 = load atomic i64, ptr %142 acquire, align 64
  br label %144
144:                                              ; preds = %153, %139
  %145 = phi i64 [ %143, %139 ], [ %156, %153 ]
  %146 = lshr i64 %145, 16
  %147 = icmp ne i64 %146, %94
  %148 = icmp ule i64 %146, %94
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
  call void asm sideeffect "yield", ""() #15
  %161 = load i32, ptr %26, align 32
  %162 = icmp slt i32 %161, 1
  br i1 %162, label %175, label %163
163:                                              ; preds = %159, %163
  %164 = phi i64 [ %171, %163 ], [ 1, %159 ]
  %165 = phi i64 [ %170, %163 ], [ 0, %159 ]
  %166 = load ptr, ptr %80, align 8
  %167 = getelementptr inbounds nuw %struct.share, ptr %166, i64 %164
  %168 = getelementptr inbounds nuw i8, ptr %167, i64 64
  %169 = load atomic i64, ptr %168 seq_cst, align 64
  %170 = add nsw i64 %169, %165
  %171 = add nuw nsw i64 %164, 1
  %172 = load i32, ptr %26, align 32
  %173 = sext i32 %172 to i64
  %174 = icmp slt i64 %164, %173
  br i1 %174, label %163, label %175
175:                                              ; preds = %163, %159
  %176 = phi i64 [ 0, %159 ], [ %170, %163 ]
  %177 = load i64, ptr %79, align 16
  %178 = icmp eq i64 %176, %177
  %179 = add nuw nsw i32 %160, 1
  %180 = icmp samesign ugt i32 %160, 126
  %181 = select i1 %180, i1 true, i1 %178
  br i1 %181, label %132, label %159
182:                                              ; preds = %144
  %183 = zext nneg i32 %140 to i64
  %184 = mul i64 %91, 9223372035854775808
  %185 = sub i64 %184, %92
  %186 = load i64, ptr %79, align 16
  %187 = sub nsw i64 %186, %183
  store i64 %187, ptr %79, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %188 = shl i64 %185, 1
  %189 = add i64 %135, %88
  %190 = mul i64 %189, 1000000000
  %191 = add i64 %188, %89
  %192 = add i64 %191, %136
  %193 = add i64 %192, %190
  %194 = select i1 %133, i64 %193, i64 9223372036854775807
  %195 = call i64 @llvm.smin.i64(i64 %194, i64 %85)
  %196 = add nuw nsw i32 %86, 1
  %197 = icmp samesign ult i32 %86, 3
  %198 = icmp sgt i64 %195, %63
  %199 = select i1 %197, i1 %198, i1 false
  br i1 %199, label %84, label %82
200:                                              ; preds = %82
  call fastcc void @send_away(ptr noundef %0)
  br label %201
201:                                              ; preds = %200, %82
  %202 = load i64, ptr %60, align 32
  %203 = icmp slt i64 %202, 3
  %204 = select i1 %203, i64 600, i64 300
  %205 = icmp sgt i64 %195, %204
  %206 = getelementptr inbounds nuw i8, ptr %0, i64 584
  br i1 %205, label %209, label %207
207:                                              ; preds = %201
  store i32 0, ptr %206, align 8
  %208 = getelementptr inbounds nuw i8, ptr %0, i64 560
  store i32 1024, ptr %208, align 16
  br i1 %203, label %241, label %229
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
  br i1 %215, label %241, label %229
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
  br i1 %215, label %229, label %235
227:                                              ; preds = %209
  store i32 1024, ptr %217, align 16
  %228 = xor i1 %203, %215
  br i1 %228, label %229, label %234
229:                                              ; preds = %227, %225, %219, %207
  %230 = phi i32 [ %226, %225 ], [ 1024, %227 ], [ 64, %219 ], [ 1024, %207 ]
  %231 = phi i1 [ true, %225 ], [ %215, %227 ], [ false, %219 ], [ true, %207 ]
  %232 = getelementptr inbounds nuw i8, ptr %0, i64 600
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %232, align 8
  %233 = getelementptr inbounds nuw i8, ptr %0, i64 616
  store <2 x i32> splat (i32 1), ptr %233, align 8
  store i64 2, ptr %60, align 32
  br i1 %231, label %244, label %235
234:                                              ; preds = %227
  store i64 2, ptr %60, align 32
  br i1 %215, label %244, label %235
235:                                              ; preds = %234, %229, %225
  %236 = phi i32 [ 1024, %234 ], [ %230, %229 ], [ %226, %225 ]
  %237 = icmp slt i64 %195, 895
  br i1 %237, label %238, label %241
238:                                              ; preds = %235
  %239 = mul nsw i64 %195, 24
  %240 = sdiv i64 %239, 500
  br label %241
241:                                              ; preds = %238, %235, %219, %207
  %242 = phi i32 [ %236, %235 ], [ 1024, %207 ], [ %236, %238 ], [ 64, %219 ]
  %243 = phi i64 [ 43, %235 ], [ 2, %207 ], [ %240, %238 ], [ 2, %219 ]
  store i64 %243, ptr %60, align 32
  br label %244
244:                                              ; preds = %229, %234, %241
  %245 = phi i32 [ %230, %229 ], [ 1024, %234 ], [ %242, %241 ]
  %246 = getelementptr inbounds nuw i8, ptr %0, i64 604
  %247 = load i32, ptr %246, align 4
  %248 = icmp eq i32 %247, 3
  br i1 %248, label %249, label %257
249:                                              ; preds = %244
  %250 = getelementptr inbounds nuw i8, ptr %0, i64 620
  %251 = load i32, ptr %250, align 4
  %252 = add nsw i32 %251, -1
  store i32 %252, ptr %250, align 4
  %253 = icmp slt i32 %251, 2
  br i1 %253, label %254, label %257
254:                                              ; preds = %249
  %255 = getelementptr inbounds nuw i8, ptr %0, i64 640
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(4096) %255, i8 0, i64 4096, i1 false)
  store i32 0, ptr %246, align 4
  %256 = getelementptr inbounds nuw i8, ptr %0, i64 624
  store i32 0, ptr %256, align 16
  br label %257
257:                                              ; preds = %254, %249, %244
  %258 = getelementptr inbounds nuw i8, ptr %0, i64 592
  store i64 0, ptr %258, align 16
  %259 = getelementptr inbounds nuw i8, ptr %0, i64 564
  store i32 %245, ptr %259, align 4
  store i32 0, ptr %7, align 8
  br label %260
260:                                              ; preds = %38, %42, %257, %21
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
  %47 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #15
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
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #15
  br label %424
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
  %70 = freeze i64 %69
  %71 = sdiv i64 %3, %70
  %72 = mul i64 %71, %70
  %73 = sub i64 %3, %72
  %74 = trunc nuw nsw i64 %73 to i32
  store atomic i64 0, ptr %0 monotonic, align 64
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %76 = ptrtoint ptr %1 to i64
  store atomic i64 %76, ptr %75 release, align 8
  %77 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %78 = ptrtoint ptr %2 to i64
  store atomic i64 %78, ptr %77 release, align 16
  %79 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %71, ptr %79 release, align 8
  %80 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %74, ptr %80 release, align 32
  %81 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %68, ptr %81 release, align 4
  %82 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 %40, ptr %82 release, align 8
  %83 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %67, ptr %83 release, align 4
  %84 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %85 = call i64 asm sideeffect "mrs $0, fpcr", "=r"() #15
  %86 = trunc i64 %85 to i32
  %87 = and i32 %86, 134160135
  store atomic i32 %87, ptr %84 release, align 16
  store atomic i64 %60, ptr %0 release, align 64
  %88 = load i64, ptr %10, align 8
  %89 = icmp sgt i64 %88, 63
  br i1 %89, label %90, label %102
90:                                               ; preds = %57
  fence seq_cst
  %91 = load atomic i32, ptr %18 seq_cst, align 64
  %92 = icmp sgt i32 %91, 0
  br i1 %92, label %93, label %102
93:                                               ; preds = %90
  store i64 0, ptr %10, align 8
  %94 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %95 = call i32 @pthread_mutex_lock(ptr noundef nonnull %94) #15
  %96 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %97 = load i32, ptr %96, align 4
  %98 = add i32 %97, 1
  store i32 %98, ptr %96, align 4
  %99 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %94) #15
  %100 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %101 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %100) #15
  br label %102
102:                                              ; preds = %57, %90, %93
  %103 = add i32 %68, -1
  %104 = udiv i32 %103, %68
  %105 = zext i32 %104 to i64
  %106 = add i32 %103, %74
  %107 = udiv i32 %106, %68
  %108 = zext i32 %107 to i64
  %109 = add nsw i64 %71, %108
  call void %1(ptr noundef %2, i64 noundef %105, i64 noundef %109) #15
  %110 = icmp slt i64 %64, 2
  br i1 %110, label %153, label %111
111:                                              ; preds = %102
  %112 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %113 = shl i64 %60, 16
  %114 = or disjoint i64 %113, 1
  br label %115
115:                                              ; preds = %135, %111
  %116 = phi i32 [ 0, %111 ], [ %150, %135 ]
  %117 = load ptr, ptr %112, align 8
  %118 = load atomic i64, ptr %117 acquire, align 64
  br label %119
119:                                              ; preds = %129, %115
  %120 = phi i64 [ %118, %115 ], [ %134, %129 ]
  %121 = lshr i64 %120, 16
  %122 = icmp eq i64 %121, %60
  %123 = trunc i64 %120 to i32
  %124 = and i32 %123, 65535
  %125 = select i1 %122, i32 %124, i32 1
  %126 = icmp ule i64 %121, %60
  %127 = icmp samesign ult i32 %125, %67
  %128 = select i1 %126, i1 %127, i1 false
  br i1 %128, label %129, label %151
129:                                              ; preds = %119
  %130 = zext nneg i32 %125 to i64
  %131 = add nuw i64 %114, %130
  %132 = cmpxchg weak ptr %117, i64 %120, i64 %131 seq_cst seq_cst, align 64
  %133 = extractvalue { i64, i1 } %132, 1
  %134 = extractvalue { i64, i1 } %132, 0
  br i1 %133, label %135, label %119
135:                                              ; preds = %129
  %136 = mul nsw i64 %71, %130
  %137 = mul i32 %125, %74
  %138 = add i32 %137, %103
  %139 = udiv i32 %138, %68
  %140 = zext i32 %139 to i64
  %141 = add nsw i64 %136, %140
  %142 = add nuw nsw i32 %125, 1
  %143 = zext nneg i32 %142 to i64
  %144 = mul nsw i64 %71, %143
  %145 = mul i32 %142, %74
  %146 = add i32 %145, %103
  %147 = udiv i32 %146, %68
  %148 = zext i32 %147 to i64
  %149 = add nsw i64 %144, %148
  call void %1(ptr noundef %2, i64 noundef %141, i64 noundef %149) #15
  %150 = add nuw nsw i32 %116, 1
  br label %115
151:                                              ; preds = %119
  %152 = add nuw nsw i32 %116, 1
  br label %153
153:                                              ; preds = %151, %102
  %154 = phi i32 [ %152, %151 ], [ 1, %102 ]
  %155 = zext i32 %68 to i64
  %156 = sext i32 %154 to i64
  %157 = sub nsw i64 %155, %156
  %158 = getelementptr inbounds nuw i8, ptr %0, i64 528
  %159 = load i64, ptr %158, align 16
  %160 = add nsw i64 %157, %159
  store i64 %160, ptr %158, align 16
  %161 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %162 = load i32, ptr %12, align 32
  %163 = icmp slt i32 %162, 1
  br i1 %163, label %178, label %164
164:                                              ; preds = %153, %164
  %165 = phi i64 [ %172, %164 ], [ 1, %153 ]
  %166 = phi i64 [ %171, %164 ], [ 0, %153 ]
  %167 = load ptr, ptr %161, align 8
  %168 = getelementptr inbounds nuw %struct.share, ptr %167, i64 %165
  %169 = getelementptr inbounds nuw i8, ptr %168, i64 64
  %170 = load atomic i64, ptr %169 seq_cst, align 64
  %171 = add nsw i64 %170, %166
  %172 = add nuw nsw i64 %165, 1
  %173 = load i32, ptr %12, align 32
  %174 = sext i32 %173 to i64
  %175 = icmp slt i64 %165, %174
  br i1 %175, label %164, label %176
176:                                              ; preds = %164
  %177 = load i64, ptr %158, align 16
  br label %178
178:                                              ; preds = %176, %153
  %179 = phi i32 [ %162, %153 ], [ %173, %176 ]
  %180 = phi i64 [ %160, %153 ], [ %177, %176 ]
  %181 = phi i64 [ 0, %153 ], [ %171, %176 ]
  %182 = icmp eq i64 %181, %180
  br i1 %182, label %183, label %202
183:                                              ; preds = %342, %337, %317, %297, %277, %257, %237, %217, %178
  %184 = phi i32 [ %343, %342 ], [ %338, %337 ], [ %318, %317 ], [ %298, %297 ], [ %278, %277 ], [ %258, %257 ], [ %238, %237 ], [ %218, %217 ], [ %179, %178 ]
  %185 = icmp slt i32 %184, 1
  br i1 %185, label %198, label %186
186:                                              ; preds = %183, %186
  %187 = phi i64 [ %194, %186 ], [ 1, %183 ]
  %188 = phi i64 [ %193, %186 ], [ 0, %183 ]
  %189 = load ptr, ptr %161, align 8
  %190 = getelementptr inbounds nuw %struct.share, ptr %189, i64 %187
  %191 = getelementptr inbounds nuw i8, ptr %190, i64 64
  %192 = load atomic i64, ptr %191 seq_cst, align 64
  %193 = add nsw i64 %192, %188
  %194 = add nuw nsw i64 %187, 1
  %195 = load i32, ptr %12, align 32
  %196 = sext i32 %195 to i64
  %197 = icmp slt i64 %187, %196
  br i1 %197, label %186, label %198
198:                                              ; preds = %186, %183
  %199 = phi i64 [ 0, %183 ], [ %193, %186 ]
  %200 = load i64, ptr %158, align 16
  %201 = icmp eq i64 %199, %200
  br i1 %201, label %400, label %344
202:                                              ; preds = %178
  call void asm sideeffect "yield", ""() #15
  %203 = load i32, ptr %12, align 32
  %204 = icmp slt i32 %203, 1
  br i1 %204, label %217, label %205
205:                                              ; preds = %202, %205
  %206 = phi i64 [ %213, %205 ], [ 1, %202 ]
  %207 = phi i64 [ %212, %205 ], [ 0, %202 ]
  %208 = load ptr, ptr %161, align 8
  %209 = getelementptr inbounds nuw %struct.share, ptr %208, i64 %206
  %210 = getelementptr inbounds nuw i8, ptr %209, i64 64
  %211 = load atomic i64, ptr %210 seq_cst, align 64
  %212 = add nsw i64 %211, %207
  %213 = add nuw nsw i64 %206, 1
  %214 = load i32, ptr %12, align 32
  %215 = sext i32 %214 to i64
  %216 = icmp slt i64 %206, %215
  br i1 %216, label %205, label %217
217:                                              ; preds = %205, %202
  %218 = phi i32 [ %203, %202 ], [ %214, %205 ]
  %219 = phi i64 [ 0, %202 ], [ %212, %205 ]
  %220 = load i64, ptr %158, align 16
  %221 = icmp eq i64 %219, %220
  br i1 %221, label %183, label %222
222:                                              ; preds = %217
  call void asm sideeffect "yield", ""() #15
  %223 = load i32, ptr %12, align 32
  %224 = icmp slt i32 %223, 1
  br i1 %224, label %237, label %225
225:                                              ; preds = %222, %225
  %226 = phi i64 [ %233, %225 ], [ 1, %222 ]
  %227 = phi i64 [ %232, %225 ], [ 0, %222 ]
  %228 = load ptr, ptr %161, align 8
  %229 = getelementptr inbounds nuw %struct.share, ptr %228, i64 %226
  %230 = getelementptr inbounds nuw i8, ptr %229, i64 64
  %231 = load atomic i64, ptr %230 seq_cst, align 64
  %232 = add nsw i64 %231, %227
  %233 = add nuw nsw i64 %226, 1
  %234 = load i32, ptr %12, align 32
  %235 = sext i32 %234 to i64
  %236 = icmp slt i64 %226, %235
  br i1 %236, label %225, label %237
237:                                              ; preds = %225, %222
  %238 = phi i32 [ %223, %222 ], [ %234, %225 ]
  %239 = phi i64 [ 0, %222 ], [ %232, %225 ]
  %240 = load i64, ptr %158, align 16
  %241 = icmp eq i64 %239, %240
  br i1 %241, label %183, label %242
242:                                              ; preds = %237
  call void asm sideeffect "yield", ""() #15
  %243 = load i32, ptr %12, align 32
  %244 = icmp slt i32 %243, 1
  br i1 %244, label %257, label %245
245:                                              ; preds = %242, %245
  %246 = phi i64 [ %253, %245 ], [ 1, %242 ]
  %247 = phi i64 [ %252, %245 ], [ 0, %242 ]
  %248 = load ptr, ptr %161, align 8
  %249 = getelementptr inbounds nuw %struct.share, ptr %248, i64 %246
  %250 = getelementptr inbounds nuw i8, ptr %249, i64 64
  %251 = load atomic i64, ptr %250 seq_cst, align 64
  %252 = add nsw i64 %251, %247
  %253 = add nuw nsw i64 %246, 1
  %254 = load i32, ptr %12, align 32
  %255 = sext i32 %254 to i64
  %256 = icmp slt i64 %246, %255
  br i1 %256, label %245, label %257
257:                                              ; preds = %245, %242
  %258 = phi i32 [ %243, %242 ], [ %254, %245 ]
  %259 = phi i64 [ 0, %242 ], [ %252, %245 ]
  %260 = load i64, ptr %158, align 16
  %261 = icmp eq i64 %259, %260
  br i1 %261, label %183, label %262
262:                                              ; preds = %257
  call void asm sideeffect "yield", ""() #15
  %263 = load i32, ptr %12, align 32
  %264 = icmp slt i32 %263, 1
  br i1 %264, label %277, label %265
265:                                              ; preds = %262, %265
  %266 = phi i64 [ %273, %265 ], [ 1, %262 ]
  %267 = phi i64 [ %272, %265 ], [ 0, %262 ]
  %268 = load ptr, ptr %161, align 8
  %269 = getelementptr inbounds nuw %struct.share, ptr %268, i64 %266
  %270 = getelementptr inbounds nuw i8, ptr %269, i64 64
  %271 = load atomic i64, ptr %270 seq_cst, align 64
  %272 = add nsw i64 %271, %267
  %273 = add nuw nsw i64 %266, 1
  %274 = load i32, ptr %12, align 32
  %275 = sext i32 %274 to i64
  %276 = icmp slt i64 %266, %275
  br i1 %276, label %265, label %277
277:                                              ; preds = %265, %262
  %278 = phi i32 [ %263, %262 ], [ %274, %265 ]
  %279 = phi i64 [ 0, %262 ], [ %272, %265 ]
  %280 = load i64, ptr %158, align 16
  %281 = icmp eq i64 %279, %280
  br i1 %281, label %183, label %282
282:                                              ; preds = %277
  call void asm sideeffect "yield", ""() #15
  %283 = load i32, ptr %12, align 32
  %284 = icmp slt i32 %283, 1
  br i1 %284, label %297, label %285
285:                                              ; preds = %282, %285
  %286 = phi i64 [ %293, %285 ], [ 1, %282 ]
  %287 = phi i64 [ %292, %285 ], [ 0, %282 ]
  %288 = load ptr, ptr %161, align 8
  %289 = getelementptr inbounds nuw %struct.share, ptr %288, i64 %286
  %290 = getelementptr inbounds nuw i8, ptr %289, i64 64
  %291 = load atomic i64, ptr %290 seq_cst, align 64
  %292 = add nsw i64 %291, %287
  %293 = add nuw nsw i64 %286, 1
  %294 = load i32, ptr %12, align 32
  %295 = sext i32 %294 to i64
  %296 = icmp slt i64 %286, %295
  br i1 %296, label %285, label %297
297:                                              ; preds = %285, %282
  %298 = phi i32 [ %283, %282 ], [ %294, %285 ]
  %299 = phi i64 [ 0, %282 ], [ %292, %285 ]
  %300 = load i64, ptr %158, align 16
  %301 = icmp eq i64 %299, %300
  br i1 %301, label %183, label %302
302:                                              ; preds = %297
  call void asm sideeffect "yield", ""() #15
  %303 = load i32, ptr %12, align 32
  %304 = icmp slt i32 %303, 1
  br i1 %304, label %317, label %305
305:                                              ; preds = %302, %305
  %306 = phi i64 [ %313, %305 ], [ 1, %302 ]
  %307 = phi i64 [ %312, %305 ], [ 0, %302 ]
  %308 = load ptr, ptr %161, align 8
  %309 = getelementptr inbounds nuw %struct.share, ptr %308, i64 %306
  %310 = getelementptr inbounds nuw i8, ptr %309, i64 64
  %311 = load atomic i64, ptr %310 seq_cst, align 64
  %312 = add nsw i64 %311, %307
  %313 = add nuw nsw i64 %306, 1
  %314 = load i32, ptr %12, align 32
  %315 = sext i32 %314 to i64
  %316 = icmp slt i64 %306, %315
  br i1 %316, label %305, label %317
317:                                              ; preds = %305, %302
  %318 = phi i32 [ %303, %302 ], [ %314, %305 ]
  %319 = phi i64 [ 0, %302 ], [ %312, %305 ]
  %320 = load i64, ptr %158, align 16
  %321 = icmp eq i64 %319, %320
  br i1 %321, label %183, label %322
322:                                              ; preds = %317
  call void asm sideeffect "yield", ""() #15
  %323 = load i32, ptr %12, align 32
  %324 = icmp slt i32 %323, 1
  br i1 %324, label %337, label %325
325:                                              ; preds = %322, %325
  %326 = phi i64 [ %333, %325 ], [ 1, %322 ]
  %327 = phi i64 [ %332, %325 ], [ 0, %322 ]
  %328 = load ptr, ptr %161, align 8
  %329 = getelementptr inbounds nuw %struct.share, ptr %328, i64 %326
  %330 = getelementptr inbounds nuw i8, ptr %329, i64 64
  %331 = load atomic i64, ptr %330 seq_cst, align 64
  %332 = add nsw i64 %331, %327
  %333 = add nuw nsw i64 %326, 1
  %334 = load i32, ptr %12, align 32
  %335 = sext i32 %334 to i64
  %336 = icmp slt i64 %326, %335
  br i1 %336, label %325, label %337
337:                                              ; preds = %325, %322
  %338 = phi i32 [ %323, %322 ], [ %334, %325 ]
  %339 = phi i64 [ 0, %322 ], [ %332, %325 ]
  %340 = load i64, ptr %158, align 16
  %341 = icmp eq i64 %339, %340
  br i1 %341, label %183, label %342
342:                                              ; preds = %337
  call void asm sideeffect "yield", ""() #15
  %343 = load i32, ptr %12, align 32
  br label %183
344:                                              ; preds = %198
  %345 = icmp sgt i32 %40, 1
  br i1 %345, label %346, label %400
346:                                              ; preds = %344
  %347 = shl i64 %60, 16
  %348 = or disjoint i64 %347, 1
  %349 = zext nneg i32 %40 to i64
  br label %350
350:                                              ; preds = %394, %346
  %351 = phi i64 [ 1, %346 ], [ %396, %394 ]
  %352 = phi i32 [ 0, %346 ], [ %395, %394 ]
  %353 = mul nuw nsw i64 %351, %66
  %354 = trunc nsw i64 %353 to i32
  br label %355
355:                                              ; preds = %376, %350
  %356 = phi i32 [ 0, %350 ], [ %393, %376 ]
  %357 = load ptr, ptr %161, align 8
  %358 = getelementptr inbounds nuw %struct.share, ptr %357, i64 %351
  %359 = load atomic i64, ptr %358 acquire, align 64
  br label %360
360:                                              ; preds = %370, %355
  %361 = phi i64 [ %359, %355 ], [ %375, %370 ]
  %362 = lshr i64 %361, 16
  %363 = icmp eq i64 %362, %60
  %364 = trunc i64 %361 to i32
  %365 = and i32 %364, 65535
  %366 = select i1 %363, i32 %365, i32 0
  %367 = icmp ule i64 %362, %60
  %368 = icmp samesign ult i32 %366, %67
  %369 = select i1 %367, i1 %368, i1 false
  br i1 %369, label %370, label %394
370:                                              ; preds = %360
  %371 = zext nneg i32 %366 to i64
  %372 = add nuw i64 %348, %371
  %373 = cmpxchg weak ptr %358, i64 %361, i64 %372 seq_cst seq_cst, align 64
  %374 = extractvalue { i64, i1 } %373, 1
  %375 = extractvalue { i64, i1 } %373, 0
  br i1 %374, label %376, label %360
376:                                              ; preds = %370
  %377 = add nsw i32 %366, %354
  %378 = zext i32 %377 to i64
  %379 = mul nuw nsw i64 %71, %378
  %380 = mul i32 %377, %74
  %381 = add i32 %380, %103
  %382 = udiv i32 %381, %68
  %383 = zext i32 %382 to i64
  %384 = add nuw nsw i64 %379, %383
  %385 = add i32 %377, 1
  %386 = zext i32 %385 to i64
  %387 = mul nuw nsw i64 %71, %386
  %388 = mul i32 %385, %74
  %389 = add i32 %388, %103
  %390 = udiv i32 %389, %68
  %391 = zext i32 %390 to i64
  %392 = add nuw nsw i64 %387, %391
  call void %1(ptr noundef %2, i64 noundef %384, i64 noundef %392) #15
  %393 = add nuw nsw i32 %356, 1
  br label %355
394:                                              ; preds = %360
  %395 = add nuw nsw i32 %356, %352
  %396 = add nuw nsw i64 %351, 1
  %397 = icmp eq i64 %396, %349
  br i1 %397, label %398, label %350
398:                                              ; preds = %394
  %399 = load i64, ptr %158, align 16
  br label %400
400:                                              ; preds = %398, %344, %198
  %401 = phi i64 [ %199, %198 ], [ %200, %344 ], [ %399, %398 ]
  %402 = phi i32 [ 0, %198 ], [ 0, %344 ], [ %395, %398 ]
  %403 = sext i32 %402 to i64
  %404 = sub nsw i64 %401, %403
  store i64 %404, ptr %158, align 16
  %405 = add nsw i32 %402, %154
  %406 = icmp ult i32 %405, %68
  %407 = getelementptr inbounds nuw i8, ptr %0, i64 552
  br i1 %406, label %408, label %414
408:                                              ; preds = %400
  store i32 0, ptr %407, align 8
  %409 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %410 = load i32, ptr %409, align 4
  %411 = icmp sgt i32 %410, 4
  %412 = sext i1 %411 to i32
  %413 = add i32 %410, %412
  store i32 %413, ptr %409, align 4
  br label %423
414:                                              ; preds = %400
  %415 = load i32, ptr %407, align 8
  %416 = add nsw i32 %415, 1
  store i32 %416, ptr %407, align 8
  %417 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %418 = load i32, ptr %417, align 4
  %419 = icmp slt i32 %416, %418
  br i1 %419, label %423, label %420
420:                                              ; preds = %414
  store i32 0, ptr %407, align 8
  %421 = call i32 @llvm.smin.i32(i32 %418, i32 32)
  %422 = shl i32 %421, 1
  store i32 %422, ptr %417, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %423
423:                                              ; preds = %408, %414, %420
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %424
424:                                              ; preds = %423, %56
  %425 = icmp eq i64 %54, 0
  br i1 %425, label %440, label %426
426:                                              ; preds = %424
  %427 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #15
  %428 = load i64, ptr %8, align 8
  %429 = mul nsw i64 %428, 1000000000
  %430 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %431 = load i64, ptr %430, align 8
  %432 = sub i64 %431, %54
  %433 = add i64 %432, %429
  %434 = sdiv i64 %433, 1000
  %435 = add nsw i64 %434, %11
  %436 = load i64, ptr %10, align 8
  %437 = icmp slt i64 %435, %436
  %438 = call i64 @llvm.smin.i64(i64 %435, i64 64)
  %439 = select i1 %437, i64 %436, i64 %438
  store i64 %439, ptr %10, align 8
  br label %440
440:                                              ; preds = %426, %424
  ret void
}
define internal fastcc void @note_time(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %2, i32 noundef range(i32 -1073741823, 1073741825) %3, i64 noundef range(i64 1, 0) %4, i64 noundef %5) unnamed_addr #8 {
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
  %28 = tail call i32 %1(ptr noundef %2, ptr noundef %0) #15
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
  %57 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #15
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
  %71 = call i32 %1(ptr noundef %2, ptr noundef null) #15
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
  %81 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #15
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
define internal fastcc i32 @threads_for(ptr noundef nonnull %0, i64 noundef range(i64 2, -9223372036854775808) %1, i64 noundef %2) unnamed_addr #9 {
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
  br i1 %12, label %13, label %16
13:                                               ; preds = %5
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %15 = zext nneg i32 %3 to i64
  br label %76
16:                                               ; preds = %86, %5
  store atomic i64 0, ptr %0 monotonic, align 64
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %18 = ptrtoint ptr %1 to i64
  store atomic i64 %18, ptr %17 release, align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store atomic i64 0, ptr %19 release, align 16
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %4, ptr %20 release, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %3, ptr %21 release, align 32
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 1, ptr %22 release, align 4
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 0, ptr %23 release, align 8
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 1, ptr %24 release, align 4
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %26 = tail call i64 asm sideeffect "mrs $0, fpcr", "=r"() #15
  %27 = trunc i64 %26 to i32
  %28 = and i32 %27, 134160135
  store atomic i32 %28, ptr %25 release, align 16
  store atomic i64 %11, ptr %0 release, align 64
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 536
  %30 = load i64, ptr %29, align 8
  %31 = icmp sgt i64 %30, 63
  br i1 %31, label %32, label %45
32:                                               ; preds = %16
  fence seq_cst
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %34 = load atomic i32, ptr %33 seq_cst, align 64
  %35 = icmp sgt i32 %34, 0
  br i1 %35, label %36, label %45
36:                                               ; preds = %32
  store i64 0, ptr %29, align 8
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %38 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %37) #15
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %40 = load i32, ptr %39, align 4
  %41 = add i32 %40, 1
  store i32 %41, ptr %39, align 4
  %42 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %37) #15
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 408
  %44 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %43) #15
  br label %45
45:                                               ; preds = %16, %32, %36
  store ptr %0, ptr %8, align 8
  %46 = getelementptr inbounds nuw i8, ptr %8, i64 8
  store i64 %4, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %8, i64 16
  store i64 %11, ptr %47, align 8
  %48 = getelementptr inbounds nuw i8, ptr %8, i64 24
  store i64 %11, ptr %48, align 8
  %49 = getelementptr inbounds nuw i8, ptr %8, i64 32
  %50 = ptrtoint ptr %8 to i64
  %51 = or disjoint i64 %50, 1
  %52 = inttoptr i64 %51 to ptr
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %49, i8 0, i64 16, i1 false)
  %53 = call i32 %1(ptr noundef %2, ptr noundef nonnull %52) #15
  %54 = load i64, ptr %48, align 8
  store i64 %54, ptr %9, align 8
  %55 = load ptr, ptr %8, align 8
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 328
  %57 = load ptr, ptr %56, align 8
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 320
  %59 = load atomic i64, ptr %58 monotonic, align 64
  %60 = load i64, ptr %47, align 8
  %61 = shl i64 %60, 1
  %62 = icmp ugt i64 %59, %61
  br i1 %62, label %69, label %63
63:                                               ; preds = %45
  %64 = getelementptr inbounds nuw i8, ptr %57, i64 200
  %65 = atomicrmw xchg ptr %64, i64 %61 seq_cst, align 8
  %66 = load i64, ptr %47, align 8
  %67 = shl i64 %66, 1
  %68 = icmp ugt i64 %65, %67
  br i1 %68, label %69, label %96
69:                                               ; preds = %45, %63
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %71 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %72 = load ptr, ptr %70, align 8
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 328
  %74 = load atomic i64, ptr %73 acquire, align 8
  %75 = icmp eq i64 %74, %11
  br i1 %75, label %89, label %107
76:                                               ; preds = %13, %86
  %77 = phi i64 [ 0, %13 ], [ %87, %86 ]
  %78 = getelementptr inbounds nuw ptr, ptr %14, i64 %77
  %79 = load atomic i64, ptr %78 monotonic, align 8
  %80 = inttoptr i64 %79 to ptr
  %81 = getelementptr inbounds nuw ptr, ptr %2, i64 %77
  %82 = load ptr, ptr %81, align 8
  %83 = icmp eq ptr %82, %80
  br i1 %83, label %86, label %84
84:                                               ; preds = %76
  %85 = ptrtoint ptr %82 to i64
  store atomic i64 %85, ptr %78 monotonic, align 8
  br label %86
86:                                               ; preds = %76, %84
  %87 = add nuw nsw i64 %77, 1
  %88 = icmp eq i64 %87, %15
  br i1 %88, label %16, label %76
89:                                               ; preds = %130, %69
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 552
  store i32 0, ptr %90, align 8
  %91 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %92 = load i32, ptr %91, align 4
  %93 = icmp sgt i32 %92, 4
  %94 = sext i1 %93 to i32
  %95 = add i32 %92, %94
  store i32 %95, ptr %91, align 4
  br label %106
96:                                               ; preds = %63
  %97 = getelementptr inbounds nuw i8, ptr %0, i64 552
  %98 = load i32, ptr %97, align 8
  %99 = add nsw i32 %98, 1
  store i32 %99, ptr %97, align 8
  %100 = getelementptr inbounds nuw i8, ptr %0, i64 556
  %101 = load i32, ptr %100, align 4
  %102 = icmp slt i32 %99, %101
  br i1 %102, label %106, label %103
103:                                              ; preds = %96
  store i32 0, ptr %97, align 8
  %104 = call i32 @llvm.smin.i32(i32 %101, i32 32)
  %105 = shl i32 %104, 1
  store i32 %105, ptr %100, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %106
106:                                              ; preds = %89, %96, %103
  ret i32 %53
107:                                              ; preds = %69, %130
  %108 = phi i32 [ %110, %130 ], [ 0, %69 ]
  %109 = phi i64 [ %131, %130 ], [ 0, %69 ]
  call void asm sideeffect "yield", ""() #15
  %110 = add i32 %108, 1
  %111 = and i32 %110, 63
  %112 = icmp eq i32 %111, 0
  br i1 %112, label %113, label %130
113:                                              ; preds = %107
  %114 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #15
  %115 = load i64, ptr %6, align 8
  %116 = mul nsw i64 %115, 1000000000
  %117 = load i64, ptr %71, align 8
  %118 = add nsw i64 %116, %117
  %119 = icmp ne i32 %110, 64
  %120 = select i1 %119, i64 %109, i64 %118
  %121 = sub i64 %118, %109
  %122 = icmp sgt i64 %121, 50000
  %123 = select i1 %119, i1 %122, i1 false
  br i1 %123, label %124, label %130
124:                                              ; preds = %113
  %125 = call i32 @sched_yield() #15
  %126 = sub nsw i64 %118, %120
  %127 = icmp sgt i64 %126, 999999
  br i1 %127, label %128, label %130
128:                                              ; preds = %124
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %7, ptr noundef nonnull align 8 dereferenceable(16) @__const.stand_by.nap, i64 16, i1 false)
  %129 = call i32 @nanosleep(ptr noundef nonnull %7, ptr noundef null) #15
  br label %130
130:                                              ; preds = %107, %113, %124, %128
  %131 = phi i64 [ %120, %128 ], [ %120, %124 ], [ %120, %113 ], [ %109, %107 ]
  %132 = load ptr, ptr %70, align 8
  %133 = getelementptr inbounds nuw i8, ptr %132, i64 328
  %134 = load atomic i64, ptr %133 acquire, align 8
  %135 = icmp eq i64 %134, %11
  br i1 %135, label %89, label %107
}
define range(i32 0, 2) i32 @ingot_pool_turn(ptr noundef %0) local_unnamed_addr #10 {
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
define void @ingot_pool_pass(ptr noundef %0) local_unnamed_addr #11 {
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
declare i64 @sysconf(i32 noundef) local_unnamed_addr #0
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0
declare void @free(ptr noundef) local_unnamed_addr #12
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
  call void asm sideeffect "yield", ""() #15
  %23 = add i32 %22, 1
  %24 = and i32 %23, 63
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %43
26:                                               ; preds = %20
  %27 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #15
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
  %38 = call i32 @sched_yield() #15
  %39 = sub nsw i64 %31, %33
  %40 = icmp sgt i64 %39, 999999
  br i1 %40, label %41, label %43
41:                                               ; preds = %37
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %4, ptr noundef nonnull align 8 dereferenceable(16) @__const.stand_by.nap, i64 16, i1 false)
  %42 = call i32 @nanosleep(ptr noundef nonnull %4, ptr noundef null) #15
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
declare i32 @nanosleep(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @sched_yield() local_unnamed_addr #0
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #0
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #0
declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #0
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca [32 x ptr], align 8
  %3 = alloca %struct.member, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %6 = load ptr, ptr %5, align 16
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 52
  %8 = load atomic i32, ptr %7 seq_cst, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %10, label %267
10:                                               ; preds = %1
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %12 = getelementptr inbounds nuw i8, ptr %6, i64 360
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 320
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 356
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 408
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 36
  %21 = getelementptr inbounds nuw i8, ptr %6, i64 40
  %22 = getelementptr inbounds nuw i8, ptr %6, i64 44
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %26 = getelementptr inbounds nuw i8, ptr %6, i64 328
  %27 = getelementptr inbounds nuw i8, ptr %6, i64 324
  %28 = getelementptr inbounds nuw i8, ptr %6, i64 456
  %29 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %30 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %32 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %33 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %35 = ptrtoint ptr %3 to i64
  %36 = or disjoint i64 %35, 1
  %37 = inttoptr i64 %36 to ptr
  br label %38
38:                                               ; preds = %10, %263
  %39 = phi i64 [ 0, %10 ], [ %264, %263 ]
  %40 = load atomic i64, ptr %6 seq_cst, align 64
  %41 = icmp eq i64 %40, 0
  %42 = icmp eq i64 %40, %39
  %43 = or i1 %41, %42
  br i1 %43, label %44, label %94
44:                                               ; preds = %38, %87
  %45 = phi i32 [ %89, %87 ], [ 0, %38 ]
  %46 = phi i64 [ %88, %87 ], [ 0, %38 ]
  %47 = load atomic i32, ptr %7 monotonic, align 4
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %49, label %94
49:                                               ; preds = %44
  call void asm sideeffect "yield", ""() #15
  %50 = add i32 %45, 1
  %51 = and i32 %50, 63
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %53, label %87
53:                                               ; preds = %49
  %54 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #15
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
  %65 = call i32 @sched_yield() #15
  %66 = sub nsw i64 %58, %60
  %67 = icmp sgt i64 %66, 999999
  br i1 %67, label %68, label %87
68:                                               ; preds = %64
  %69 = call i32 @pthread_mutex_lock(ptr noundef nonnull %12) #15
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
  %78 = load atomic i32, ptr %7 monotonic, align 4
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %80, label %84
80:                                               ; preds = %77
  %81 = call i32 @pthread_cond_wait(ptr noundef nonnull %15, ptr noundef nonnull %12) #15
  %82 = load i32, ptr %14, align 4
  %83 = icmp eq i32 %82, %71
  br i1 %83, label %72, label %84
84:                                               ; preds = %72, %77, %80
  %85 = atomicrmw sub ptr %13, i32 1 seq_cst, align 64
  %86 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %12) #15
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
  %95 = load atomic i32, ptr %7 seq_cst, align 4
  %96 = icmp eq i32 %95, 0
  br i1 %96, label %97, label %263
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
  %108 = load atomic i32, ptr %23 acquire, align 16
  %109 = icmp eq i64 %98, 0
  br i1 %109, label %263, label %110
110:                                              ; preds = %97
  %111 = load atomic i64, ptr %6 monotonic, align 64
  %112 = icmp eq i64 %111, %98
  br i1 %112, label %113, label %263
113:                                              ; preds = %110
  %114 = call i64 asm sideeffect "mrs $0, fpcr", "=r"() #15
  %115 = trunc i64 %114 to i32
  %116 = and i32 %115, 134160135
  %117 = icmp eq i32 %108, %116
  br i1 %117, label %120, label %118
118:                                              ; preds = %113
  %119 = zext i32 %108 to i64
  call void asm sideeffect "msr fpcr, $0", "r"(i64 %119) #15
  br label %120
120:                                              ; preds = %113, %118
  %121 = icmp eq i32 %106, 0
  br i1 %121, label %122, label %149
122:                                              ; preds = %120
  %123 = icmp eq i32 %104, 0
  br i1 %123, label %126, label %124
124:                                              ; preds = %122
  %125 = zext i32 %104 to i64
  br label %132
126:                                              ; preds = %132, %122
  %127 = load ptr, ptr %26, align 8
  %128 = getelementptr inbounds nuw i8, ptr %127, i64 200
  %129 = load atomic i64, ptr %128 monotonic, align 8
  %130 = shl i64 %98, 1
  %131 = icmp ult i64 %129, %130
  br i1 %131, label %140, label %148
132:                                              ; preds = %132, %124
  %133 = phi i64 [ 0, %124 ], [ %138, %132 ]
  %134 = getelementptr inbounds nuw ptr, ptr %29, i64 %133
  %135 = load atomic i64, ptr %134 monotonic, align 8
  %136 = inttoptr i64 %135 to ptr
  %137 = getelementptr inbounds nuw ptr, ptr %2, i64 %133
  store ptr %136, ptr %137, align 8
  %138 = add nuw nsw i64 %133, 1
  %139 = icmp eq i64 %138, %125
  br i1 %139, label %126, label %132
140:                                              ; preds = %126
  %141 = or disjoint i64 %130, 1
  %142 = cmpxchg ptr %128, i64 %129, i64 %141 seq_cst seq_cst, align 8
  %143 = extractvalue { i64, i1 } %142, 1
  br i1 %143, label %144, label %148
144:                                              ; preds = %140
  store ptr %6, ptr %3, align 8
  store i64 %103, ptr %30, align 8
  store i64 %98, ptr %31, align 8
  store i64 %98, ptr %32, align 8
  store i64 0, ptr %33, align 8
  store <2 x i32> <i32 1, i32 0>, ptr %34, align 8
  %145 = call i32 %100(ptr noundef nonnull %2, ptr noundef nonnull %37) #15
  %146 = load ptr, ptr %26, align 8
  %147 = getelementptr inbounds nuw i8, ptr %146, i64 328
  store atomic i64 %98, ptr %147 release, align 8
  br label %148
148:                                              ; preds = %126, %140, %144
  br label %263
149:                                              ; preds = %120
  %150 = load i32, ptr %24, align 8
  %151 = srem i32 %150, %106
  %152 = sext i32 %151 to i64
  %153 = icmp eq i32 %151, 0
  %154 = zext i1 %153 to i32
  %155 = shl i64 %98, 16
  %156 = or disjoint i64 %155, 1
  %157 = mul nsw i32 %151, %107
  %158 = add i32 %105, -1
  br label %159
159:                                              ; preds = %179, %149
  %160 = load ptr, ptr %26, align 8
  %161 = getelementptr inbounds %struct.share, ptr %160, i64 %152
  %162 = load atomic i64, ptr %161 acquire, align 64
  br label %163
163:                                              ; preds = %173, %159
  %164 = phi i64 [ %162, %159 ], [ %178, %173 ]
  %165 = lshr i64 %164, 16
  %166 = icmp eq i64 %165, %98
  %167 = trunc i64 %164 to i32
  %168 = and i32 %167, 65535
  %169 = select i1 %166, i32 %168, i32 %154
  %170 = icmp ule i64 %165, %98
  %171 = icmp slt i32 %169, %107
  %172 = select i1 %170, i1 %171, i1 false
  br i1 %172, label %173, label %198
173:                                              ; preds = %163
  %174 = zext nneg i32 %169 to i64
  %175 = add i64 %156, %174
  %176 = cmpxchg weak ptr %161, i64 %164, i64 %175 seq_cst seq_cst, align 64
  %177 = extractvalue { i64, i1 } %176, 1
  %178 = extractvalue { i64, i1 } %176, 0
  br i1 %177, label %179, label %163
179:                                              ; preds = %173
  %180 = add nsw i32 %169, %157
  %181 = zext i32 %180 to i64
  %182 = mul nsw i64 %103, %181
  %183 = mul i32 %180, %104
  %184 = add i32 %183, %158
  %185 = udiv i32 %184, %105
  %186 = zext i32 %185 to i64
  %187 = add nsw i64 %182, %186
  %188 = add i32 %180, 1
  %189 = zext i32 %188 to i64
  %190 = mul nsw i64 %103, %189
  %191 = mul i32 %188, %104
  %192 = add i32 %191, %158
  %193 = udiv i32 %192, %105
  %194 = zext i32 %193 to i64
  %195 = add nsw i64 %190, %194
  call void %100(ptr noundef %102, i64 noundef %187, i64 noundef %195) #15
  %196 = load atomic i64, ptr %25 monotonic, align 8
  %197 = add nsw i64 %196, 1
  store atomic i64 %197, ptr %25 release, align 8
  br label %159
198:                                              ; preds = %163
  %199 = icmp sgt i32 %106, 1
  br i1 %199, label %200, label %256
200:                                              ; preds = %198
  %201 = icmp slt i32 %107, 2
  br label %202
202:                                              ; preds = %200, %253
  %203 = phi i32 [ %254, %253 ], [ 1, %200 ]
  %204 = add nsw i32 %203, %151
  %205 = icmp slt i32 %204, %106
  %206 = select i1 %205, i32 0, i32 %106
  %207 = icmp eq i32 %204, %206
  %208 = select i1 %207, i1 %201, i1 false
  br i1 %208, label %253, label %209
209:                                              ; preds = %202
  %210 = sub nsw i32 %204, %206
  %211 = sext i32 %210 to i64
  %212 = zext i1 %207 to i32
  %213 = mul nsw i32 %210, %107
  br label %214
214:                                              ; preds = %234, %209
  %215 = load ptr, ptr %26, align 8
  %216 = getelementptr inbounds %struct.share, ptr %215, i64 %211
  %217 = load atomic i64, ptr %216 acquire, align 64
  br label %218
218:                                              ; preds = %228, %214
  %219 = phi i64 [ %217, %214 ], [ %233, %228 ]
  %220 = lshr i64 %219, 16
  %221 = icmp eq i64 %220, %98
  %222 = trunc i64 %219 to i32
  %223 = and i32 %222, 65535
  %224 = select i1 %221, i32 %223, i32 %212
  %225 = icmp ule i64 %220, %98
  %226 = icmp slt i32 %224, %107
  %227 = select i1 %225, i1 %226, i1 false
  br i1 %227, label %228, label %253
228:                                              ; preds = %218
  %229 = zext nneg i32 %224 to i64
  %230 = add i64 %156, %229
  %231 = cmpxchg weak ptr %216, i64 %219, i64 %230 seq_cst seq_cst, align 64
  %232 = extractvalue { i64, i1 } %231, 1
  %233 = extractvalue { i64, i1 } %231, 0
  br i1 %232, label %234, label %218
234:                                              ; preds = %228
  %235 = add nsw i32 %224, %213
  %236 = zext i32 %235 to i64
  %237 = mul nsw i64 %103, %236
  %238 = mul i32 %235, %104
  %239 = add i32 %238, %158
  %240 = udiv i32 %239, %105
  %241 = zext i32 %240 to i64
  %242 = add nsw i64 %237, %241
  %243 = add i32 %235, 1
  %244 = zext i32 %243 to i64
  %245 = mul nsw i64 %103, %244
  %246 = mul i32 %243, %104
  %247 = add i32 %246, %158
  %248 = udiv i32 %247, %105
  %249 = zext i32 %248 to i64
  %250 = add nsw i64 %245, %249
  call void %100(ptr noundef %102, i64 noundef %242, i64 noundef %250) #15
  %251 = load atomic i64, ptr %25 monotonic, align 8
  %252 = add nsw i64 %251, 1
  store atomic i64 %252, ptr %25 release, align 8
  br label %214
253:                                              ; preds = %218, %202
  %254 = add nuw nsw i32 %203, 1
  %255 = icmp eq i32 %254, %106
  br i1 %255, label %256, label %202
256:                                              ; preds = %253, %198
  fence seq_cst
  %257 = load atomic i32, ptr %27 seq_cst, align 4
  %258 = icmp eq i32 %257, 0
  br i1 %258, label %263, label %259
259:                                              ; preds = %256
  %260 = call i32 @pthread_mutex_lock(ptr noundef nonnull %12) #15
  %261 = call i32 @pthread_cond_signal(ptr noundef nonnull %28) #15
  %262 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %12) #15
  br label %263
263:                                              ; preds = %97, %94, %110, %259, %256, %148
  %264 = phi i64 [ %98, %148 ], [ %39, %94 ], [ %39, %110 ], [ %98, %259 ], [ %98, %256 ], [ %39, %97 ]
  %265 = load atomic i32, ptr %7 seq_cst, align 4
  %266 = icmp eq i32 %265, 0
  br i1 %266, label %38, label %267
267:                                              ; preds = %263, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6
define internal fastcc void @send_away(ptr noundef nonnull readonly %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.cpu_set_t, align 8
  %4 = tail call i32 @sched_getcpu() #15
  %5 = icmp ugt i32 %4, 1023
  br i1 %5, label %49, label %6
6:                                                ; preds = %1
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %8 = load i32, ptr %7, align 32
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %49
10:                                               ; preds = %6
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 504
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
  %21 = load ptr, ptr %11, align 8
  %22 = getelementptr inbounds nuw i64, ptr %21, i64 %20
  %23 = load i64, ptr %22, align 8
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #15
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #15
  %32 = icmp sgt i32 %31, 1
  br i1 %32, label %33, label %44
33:                                               ; preds = %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, ptr noundef nonnull align 8 dereferenceable(128) %2, i64 128, i1 false)
  %34 = load i64, ptr %18, align 8
  %35 = and i64 %34, %17
  store i64 %35, ptr %18, align 8
  %36 = load ptr, ptr %11, align 8
  %37 = getelementptr inbounds nuw i64, ptr %36, i64 %20
  %38 = load i64, ptr %37, align 8
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #15
  %40 = load ptr, ptr %11, align 8
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #15
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #13 {
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
  call void asm sideeffect "yield", ""() #15
  %31 = add i32 %11, 1
  %32 = and i32 %31, 63
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %10
34:                                               ; preds = %30
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #15
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
  %47 = call i32 @sched_yield() #15
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #15
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 324
  store atomic i32 1, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 456
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
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #15
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #15
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #0
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @llvm.smin.i32(i32, i32) #14
declare i64 @llvm.smin.i64(i64, i64) #14
declare i64 @llvm.smax.i64(i64, i64) #14
declare i32 @llvm.umin.i32(i32, i32) #14
declare i64 @llvm.umin.i64(i64, i64) #14
declare i64 @llvm.umax.i64(i64, i64) #14
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
