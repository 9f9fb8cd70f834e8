package dev.varve.store;

/**
 * Bounds the cost of a read. Unlike a limit, an exhausted budget is an error: {@link
 * BudgetExceededException}.
 *
 * @param cellsRead cells that the store may examine, whether or not it returns them
 * @param bytesRead bytes of those cells
 */
public record Budget(long cellsRead, long bytesRead) {
  public static final Budget UNLIMITED = new Budget(Long.MAX_VALUE, Long.MAX_VALUE);
}
