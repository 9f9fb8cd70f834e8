package dev.varve.engine;

/**
 * How the heap is shared out by default, so that everything that clients can make the server hold
 * stays below it together.
 *
 * <p>The shares are fractions of the heap, without a minimum that could outgrow a small one:
 *
 * <ul>
 *   <li>4/16 queries: what all queries hold together
 *   <li>3/16 writes: what was received and is not written yet, in every form
 *   <li>1/16 cells: what the engine makes of the batches that are on their way into the stores
 *   <li>1/16 caches of the engine that grow with the heap
 *   <li>3/16 catalogs: what the engine knows of every series
 *   <li>4/16 margin: connections, {@linkplain #smallCache() small caches}, everything else, and
 *       room for the collector
 * </ul>
 *
 * @param heap bytes
 */
public record HeapShares(long heap) {
  /** The shares of the heap of this process. */
  public static final HeapShares OF_THIS_PROCESS = new HeapShares(Runtime.getRuntime().maxMemory());

  /** The smallest heap, in bytes, for which the shares are meant. */
  public static final long HEAP_MIN = 256L << 20;

  /** Bytes that all queries may hold together. */
  public long queries() {
    return heap / 4;
  }

  /** Bytes of writes that may be held from their receipt until they are handed to a store. */
  public long writes() {
    return heap / 16 * 3;
  }

  /** Bytes that batches on their way into the stores may take, with the cells made of them. */
  public long cells() {
    return heap / 16;
  }

  /** Bytes of the engine's caches that grow with the heap. */
  public long caches() {
    return heap / 16;
  }

  /** Bytes that the catalogs of all datasets may take. */
  public long catalog() {
    return heap / 16 * 3;
  }

  /** Bytes of each cache of keys or texts that senders repeat. There are some ten of them. */
  public long smallCache() {
    return heap / 128;
  }
}
