/** For tests of types: `True<Equal<A, B>>` compiles when the two are the same. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export type True<T extends true> = T;
