package dev.varve.model;

/**
 * The default division of the heap. It bounds everything that clients can make the server hold.
 *
 * <p>Shares are fractions of the heap without minimums, which could exceed a small heap:
 *
 * <ul>
 *   <li>4/16 queries: data held by all queries together
 *   <li>3/16 writes: data received but not yet written, in every form
 *   <li>1/16 cells: batches on their way into the stores, with the cells made of them
 *   <li>1/16 caches of the engine that grow with the heap
 *   <li>3/16 catalogs: the index of all series
 *   <li>1/16 heads: samples in memory that are not in blocks yet
 *   <li>3/16 margin: connections, {@linkplain #knownKeys() tables of series}, {@linkplain
 *       #smallCache() small caches}, everything else, and room for the garbage collector
 * </ul>
 *
 * @param heap size of the heap in bytes
 */
public record HeapShares(long heap) {
  /** The shares of this process. */
  public static final HeapShares OF_THIS_PROCESS = new HeapShares(Runtime.getRuntime().maxMemory());

  /** The smallest supported heap, in bytes. */
  public static final long HEAP_MIN = 256L << 20;

  /** Returns the bytes that all queries together may hold. */
  public long queries() {
    return heap / 4;
  }

  /** Returns the bytes of writes that may be held from receipt until they are passed to a store. */
  public long writes() {
    return heap / 16 * 3;
  }

  /** Returns the bytes of batches on their way into the stores, including their cells. */
  public long cells() {
    return heap / 16;
  }

  /** Returns the bytes of samples in memory that are not in blocks yet, of all datasets. */
  public long heads() {
    return heap / 16;
  }

  /** Returns the bytes of the engine's caches that grow with the heap. */
  public long caches() {
    return heap / 16;
  }

  /** Returns the bytes that the catalogs of all datasets may take. */
  public long catalog() {
    return heap / 16 * 3;
  }

  /** Returns the bytes of each table of series by the bytes of their labels; there are two. */
  public long knownKeys() {
    return heap / 64;
  }

  /** Returns the bytes of each cache of repeated keys or texts. There are about ten such caches. */
  public long smallCache() {
    return heap / 128;
  }
}
