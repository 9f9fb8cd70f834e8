package dev.varve.cli.config;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.engine.config.EngineConfig;
import java.lang.management.ManagementFactory;

/**
 * The default of {@code memory}, the caches and buffers of the stores inside the process. Java
 * takes a quarter of the machine's memory, or of the limit of the process' control group, as heap;
 * beside that, an eighth leaves room for code, threads and codecs.
 */
final class StoreMemory {
  /** The default on this machine, in bytes. */
  static final long OF_THIS_MACHINE = of(available());

  private static final int SHARE = 8;
  private static final long MIN = 32L << 20;

  private StoreMemory() {}

  /**
   * Returns the default in bytes.
   *
   * @param available bytes that the process may use, heap included
   */
  static long of(long available) {
    return Math.clamp(available / SHARE, MIN, EngineConfig.DEFAULT_MEMORY);
  }

  /** Returns the memory of the machine, or the limit of the control group if that is lower. */
  private static long available() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return system == null ? Long.MAX_VALUE : system.getTotalMemorySize();
  }
}
