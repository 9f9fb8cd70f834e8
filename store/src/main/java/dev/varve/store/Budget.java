package dev.varve.store;

/**
 * What a read may cost. Unlike a limit, a budget that is used up is an error: {@link
 * BudgetExceededException}.
 *
 * @param cellsRead cells that the store may look at, returned or not
 * @param bytesRead bytes of those cells
 */
public record Budget(long cellsRead, long bytesRead) {
  public static final Budget UNLIMITED = new Budget(Long.MAX_VALUE, Long.MAX_VALUE);
}
