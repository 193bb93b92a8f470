! A kernel in Fortran, for a check by C or Python: y = a x + b, each operation rounded, in double precision. Its type in C is
! kdr_check_array_fn.
subroutine multiply_add(context, count, inputs, outputs) bind(c)
    use, intrinsic :: iso_c_binding
    implicit none
    type(c_ptr), value :: context
    integer(c_size_t), value :: count
    type(c_ptr), intent(in) :: inputs(3), outputs(1)
    real(c_double), pointer :: a(:), x(:), b(:), y(:)
    call c_f_pointer(inputs(1), a, [count])
    call c_f_pointer(inputs(2), x, [count])
    call c_f_pointer(inputs(3), b, [count])
    call c_f_pointer(outputs(1), y, [count])
    y = a * x + b
end subroutine multiply_add
