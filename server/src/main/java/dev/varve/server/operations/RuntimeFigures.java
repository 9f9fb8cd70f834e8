package dev.varve.server.operations;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.OperatingSystemMXBean;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;

/** Exports figures of the JVM and its process from platform beans, under their usual names. */
final class RuntimeFigures {
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
  private final OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();
  private final List<BufferPoolMXBean> buffers =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);

  void register(PrometheusRegistry registry) {
    gauge("jvm_memory_used_bytes", "Memory in use.", "area")
        .callback(to -> {
          to.call((double) memory.getHeapMemoryUsage().getUsed(), "heap");
          to.call((double) memory.getNonHeapMemoryUsage().getUsed(), "nonheap");
        })
        .register(registry);
    gauge("jvm_memory_committed_bytes", "Memory that the JVM holds.", "area")
        .callback(to -> {
          to.call((double) memory.getHeapMemoryUsage().getCommitted(), "heap");
          to.call((double) memory.getNonHeapMemoryUsage().getCommitted(), "nonheap");
        })
        .register(registry);
    MemoryUsage heap = memory.getHeapMemoryUsage();
    gauge("jvm_memory_max_bytes", "Memory that the JVM may hold.", "area")
        .callback(to -> to.call((double) heap.getMax(), "heap"))
        .register(registry);
    gauge("jvm_buffer_pool_used_bytes", "Memory of buffers outside of the heap.", "pool")
        .callback(
            to -> buffers.forEach(pool -> to.call((double) pool.getMemoryUsed(), pool.getName())))
        .register(registry);
    counter("jvm_gc_collections", "Collections of garbage.", "gc")
        .callback(
            to -> collectors.forEach(gc -> to.call((double) gc.getCollectionCount(), gc.getName())))
        .register(registry);
    counter("jvm_gc_collection_seconds", "Time spent in them.", "gc")
        .callback(
            to -> collectors.forEach(gc -> to.call(gc.getCollectionTime() / 1e3, gc.getName())))
        .register(registry);
    gauge("jvm_threads_current", "Platform threads.")
        .callback(to -> to.call(threads.getThreadCount()))
        .register(registry);
    gauge("process_start_time_seconds", "When the process started, since 1970.")
        .callback(to -> to.call(runtime.getStartTime() / 1e3))
        .register(registry);
    if (system instanceof UnixOperatingSystemMXBean unix) {
      counter("process_cpu_seconds", "Time that the process computed.")
          .callback(to -> to.call(unix.getProcessCpuTime() / 1e9))
          .register(registry);
      gauge("process_open_fds", "Open files and connections.")
          .callback(to -> to.call((double) unix.getOpenFileDescriptorCount()))
          .register(registry);
      gauge("process_max_fds", "How many may be open.")
          .callback(to -> to.call((double) unix.getMaxFileDescriptorCount()))
          .register(registry);
    }
  }

  private static GaugeWithCallback.Builder gauge(String name, String help, String... labels) {
    return GaugeWithCallback.builder().name(name).help(help).labelNames(labels);
  }

  private static CounterWithCallback.Builder counter(String name, String help, String... labels) {
    return CounterWithCallback.builder().name(name).help(help).labelNames(labels);
  }
}
