declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @normalized_normalized(ptr noalias readonly align 256 %p0, ptr noalias align 128 %p2) nounwind "no-jump-tables"="true" {
entry:
  %t1 = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t2 = zext nneg i32 %t1 to i64
  %t5 = icmp slt i64 %t2, 5
  br i1 %t5, label %b3, label %b4
b3:
  %t6 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float 0x0000000000000000, ptr %t6, align 4
  %t7 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t8 = load float, ptr %t7, align 4
  %t9 = mul nsw i64 %t2, 7
  %t10 = getelementptr inbounds float, ptr %p0, i64 %t9
  %t11 = load float, ptr %t10, align 4
  %t12 = fadd float %t8, %t11
  %t13 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t12, ptr %t13, align 4
  %t14 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t15 = load float, ptr %t14, align 4
  %t16 = mul nsw i64 %t2, 7
  %t17 = add nsw i64 %t16, 1
  %t18 = getelementptr inbounds float, ptr %p0, i64 %t17
  %t19 = load float, ptr %t18, align 4
  %t20 = fadd float %t15, %t19
  %t21 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t20, ptr %t21, align 4
  %t22 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t23 = load float, ptr %t22, align 4
  %t24 = mul nsw i64 %t2, 7
  %t25 = add nsw i64 %t24, 2
  %t26 = getelementptr inbounds float, ptr %p0, i64 %t25
  %t27 = load float, ptr %t26, align 4
  %t28 = fadd float %t23, %t27
  %t29 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t28, ptr %t29, align 4
  %t30 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t31 = load float, ptr %t30, align 4
  %t32 = mul nsw i64 %t2, 7
  %t33 = add nsw i64 %t32, 3
  %t34 = getelementptr inbounds float, ptr %p0, i64 %t33
  %t35 = load float, ptr %t34, align 4
  %t36 = fadd float %t31, %t35
  %t37 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t36, ptr %t37, align 4
  %t38 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t39 = load float, ptr %t38, align 4
  %t40 = mul nsw i64 %t2, 7
  %t41 = add nsw i64 %t40, 4
  %t42 = getelementptr inbounds float, ptr %p0, i64 %t41
  %t43 = load float, ptr %t42, align 4
  %t44 = fadd float %t39, %t43
  %t45 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t44, ptr %t45, align 4
  %t46 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t47 = load float, ptr %t46, align 4
  %t48 = mul nsw i64 %t2, 7
  %t49 = add nsw i64 %t48, 5
  %t50 = getelementptr inbounds float, ptr %p0, i64 %t49
  %t51 = load float, ptr %t50, align 4
  %t52 = fadd float %t47, %t51
  %t53 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t52, ptr %t53, align 4
  %t54 = getelementptr inbounds float, ptr %p2, i64 %t2
  %t55 = load float, ptr %t54, align 4
  %t56 = mul nsw i64 %t2, 7
  %t57 = add nsw i64 %t56, 6
  %t58 = getelementptr inbounds float, ptr %p0, i64 %t57
  %t59 = load float, ptr %t58, align 4
  %t60 = fadd float %t55, %t59
  %t61 = getelementptr inbounds float, ptr %p2, i64 %t2
  store float %t60, ptr %t61, align 4
  br label %b4
b4:
  ret void
}

define ptx_kernel void @normalized_normalized_2(ptr noalias align 128 %p2, ptr noalias align 64 %p3) nounwind "no-jump-tables"="true" {
entry:
  store float 0x0000000000000000, ptr %p3, align 4
  %t1 = load float, ptr %p3, align 4
  %t2 = load float, ptr %p2, align 4
  %t3 = fadd float %t1, %t2
  store float %t3, ptr %p3, align 4
  %t4 = load float, ptr %p3, align 4
  %t5 = getelementptr inbounds float, ptr %p2, i64 1
  %t6 = load float, ptr %t5, align 4
  %t7 = fadd float %t4, %t6
  store float %t7, ptr %p3, align 4
  %t8 = load float, ptr %p3, align 4
  %t9 = getelementptr inbounds float, ptr %p2, i64 2
  %t10 = load float, ptr %t9, align 4
  %t11 = fadd float %t8, %t10
  store float %t11, ptr %p3, align 4
  %t12 = load float, ptr %p3, align 4
  %t13 = getelementptr inbounds float, ptr %p2, i64 3
  %t14 = load float, ptr %t13, align 4
  %t15 = fadd float %t12, %t14
  store float %t15, ptr %p3, align 4
  %t16 = load float, ptr %p3, align 4
  %t17 = getelementptr inbounds float, ptr %p2, i64 4
  %t18 = load float, ptr %t17, align 4
  %t19 = fadd float %t16, %t18
  store float %t19, ptr %p3, align 4
  ret void
}

define ptx_kernel void @normalized_normalized_3(ptr noalias readonly align 256 %p0, ptr noalias align 64 %p1, ptr noalias align 64 %p3) nounwind "no-jump-tables"="true" {
entry:
  %t1 = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t2 = zext nneg i32 %t1 to i64
  %t5 = icmp slt i64 %t2, 5
  br i1 %t5, label %b3, label %b4
b3:
  %t6 = mul nsw i64 %t2, 7
  %t7 = getelementptr inbounds float, ptr %p0, i64 %t6
  %t8 = load float, ptr %t7, align 4
  %t9 = load float, ptr %p3, align 4
  %t10 = fdiv float %t8, %t9
  %t11 = mul nsw i64 %t2, 7
  %t12 = getelementptr inbounds float, ptr %p1, i64 %t11
  store float %t10, ptr %t12, align 4
  %t13 = mul nsw i64 %t2, 7
  %t14 = add nsw i64 %t13, 1
  %t15 = getelementptr inbounds float, ptr %p0, i64 %t14
  %t16 = load float, ptr %t15, align 4
  %t17 = load float, ptr %p3, align 4
  %t18 = fdiv float %t16, %t17
  %t19 = mul nsw i64 %t2, 7
  %t20 = add nsw i64 %t19, 1
  %t21 = getelementptr inbounds float, ptr %p1, i64 %t20
  store float %t18, ptr %t21, align 4
  %t22 = mul nsw i64 %t2, 7
  %t23 = add nsw i64 %t22, 2
  %t24 = getelementptr inbounds float, ptr %p0, i64 %t23
  %t25 = load float, ptr %t24, align 4
  %t26 = load float, ptr %p3, align 4
  %t27 = fdiv float %t25, %t26
  %t28 = mul nsw i64 %t2, 7
  %t29 = add nsw i64 %t28, 2
  %t30 = getelementptr inbounds float, ptr %p1, i64 %t29
  store float %t27, ptr %t30, align 4
  %t31 = mul nsw i64 %t2, 7
  %t32 = add nsw i64 %t31, 3
  %t33 = getelementptr inbounds float, ptr %p0, i64 %t32
  %t34 = load float, ptr %t33, align 4
  %t35 = load float, ptr %p3, align 4
  %t36 = fdiv float %t34, %t35
  %t37 = mul nsw i64 %t2, 7
  %t38 = add nsw i64 %t37, 3
  %t39 = getelementptr inbounds float, ptr %p1, i64 %t38
  store float %t36, ptr %t39, align 4
  %t40 = mul nsw i64 %t2, 7
  %t41 = add nsw i64 %t40, 4
  %t42 = getelementptr inbounds float, ptr %p0, i64 %t41
  %t43 = load float, ptr %t42, align 4
  %t44 = load float, ptr %p3, align 4
  %t45 = fdiv float %t43, %t44
  %t46 = mul nsw i64 %t2, 7
  %t47 = add nsw i64 %t46, 4
  %t48 = getelementptr inbounds float, ptr %p1, i64 %t47
  store float %t45, ptr %t48, align 4
  %t49 = mul nsw i64 %t2, 7
  %t50 = add nsw i64 %t49, 5
  %t51 = getelementptr inbounds float, ptr %p0, i64 %t50
  %t52 = load float, ptr %t51, align 4
  %t53 = load float, ptr %p3, align 4
  %t54 = fdiv float %t52, %t53
  %t55 = mul nsw i64 %t2, 7
  %t56 = add nsw i64 %t55, 5
  %t57 = getelementptr inbounds float, ptr %p1, i64 %t56
  store float %t54, ptr %t57, align 4
  %t58 = mul nsw i64 %t2, 7
  %t59 = add nsw i64 %t58, 6
  %t60 = getelementptr inbounds float, ptr %p0, i64 %t59
  %t61 = load float, ptr %t60, align 4
  %t62 = load float, ptr %p3, align 4
  %t63 = fdiv float %t61, %t62
  %t64 = mul nsw i64 %t2, 7
  %t65 = add nsw i64 %t64, 6
  %t66 = getelementptr inbounds float, ptr %p1, i64 %t65
  store float %t63, ptr %t66, align 4
  br label %b4
b4:
  ret void
}

!0 = !{ptr @normalized_normalized, !"reqntidx", i32 32, !"reqntidy", i32 1, !"reqntidz", i32 1}
!1 = !{ptr @normalized_normalized_2, !"reqntidx", i32 1, !"reqntidy", i32 1, !"reqntidz", i32 1}
!2 = !{ptr @normalized_normalized_3, !"reqntidx", i32 32, !"reqntidy", i32 1, !"reqntidz", i32 1}
!nvvm.annotations = !{!0, !1, !2}
