package dev.varve.engine.heat;

/**
 * The reads and writes of a range of rows.
 *
 * @param reads cells that stores returned
 * @param writes edits that were passed to stores, most of them puts of a cell
 * @param bytesRead bytes of the cells read: qualifiers, values, and row keys once per run of cells
 * @param bytesWritten the same of the edits
 * @param readMicros for each cell read, the microseconds of the store call that returned it; summed
 * @param writeMicros the same for each edit
 */
public record Load(
    long reads, long writes, long bytesRead, long bytesWritten, long readMicros, long writeMicros) {
  public static final Load NONE = new Load(0, 0, 0, 0, 0, 0);

  public Load plus(Load other) {
    return new Load(
        reads + other.reads,
        writes + other.writes,
        bytesRead + other.bytesRead,
        bytesWritten + other.bytesWritten,
        readMicros + other.readMicros,
        writeMicros + other.writeMicros);
  }

  /**
   * Returns the load between two places if the load is spread evenly over {@code parts} parts.
   * Neighbouring stretches add up exactly.
   */
  Load part(int from, int to, int parts) {
    return from == 0 && to == parts
        ? this
        : new Load(
            part(reads, from, to, parts),
            part(writes, from, to, parts),
            part(bytesRead, from, to, parts),
            part(bytesWritten, from, to, parts),
            part(readMicros, from, to, parts),
            part(writeMicros, from, to, parts));
  }

  private static long part(long whole, int from, int to, int parts) {
    return upTo(whole, to, parts) - upTo(whole, from, parts);
  }

  private static long upTo(long whole, int place, int parts) {
    return Math.round((double) whole * place / parts);
  }

  /** Returns reads and writes. */
  public long operations() {
    return reads + writes;
  }

  /** Returns the mean duration of the store calls, weighted by their cells, in microseconds. */
  public double meanMicros() {
    long operations = operations();
    return operations == 0 ? 0 : (double) (readMicros + writeMicros) / operations;
  }
}
