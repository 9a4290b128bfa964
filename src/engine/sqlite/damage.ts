/** How a reader reports damage. */
export interface Damage {
  /** A row that cannot be read. The reader leaves it out. */
  damaged(problem: string): void;
  /** An index that hides rows. Throws, unless the reader uses everything that could be salvaged already. */
  hidden(problem: string): void;
}
