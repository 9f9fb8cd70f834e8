package dev.varve.server.opentsdb;

import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.JsonAnswer;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code /api/stats/jvm} and {@code /api/stats/threads}: Java's figures for the process. */
final class JvmStats {
  private JvmStats() {}

  /** {@code /api/stats/jvm}. */
  static void jvm(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartObject();
          runtime(json);
          memory(json);
          json.writeObjectPropertyStart("gc");
          ManagementFactory.getGarbageCollectorMXBeans()
              .forEach(collector -> {
                json.writeObjectPropertyStart(name(collector.getName()));
                json.writeNumberProperty("collectionCount", collector.getCollectionCount());
                json.writeNumberProperty("collectionTime", collector.getCollectionTime());
                json.writeEndObject();
              });
          json.writeEndObject();
          pools(json);
          json.writeObjectPropertyStart("os");
          json.writeNumberProperty(
              "systemLoadAverage",
              ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  private static void runtime(JsonGenerator json) {
    RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    json.writeObjectPropertyStart("runtime");
    json.writeNumberProperty("startTime", runtime.getStartTime());
    json.writeNumberProperty("uptime", runtime.getUptime());
    json.writeStringProperty("vmName", runtime.getVmName());
    json.writeStringProperty("vmVendor", runtime.getVmVendor());
    json.writeStringProperty("vmVersion", runtime.getVmVersion());
    json.writeEndObject();
  }

  private static void memory(JsonGenerator json) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    json.writeObjectPropertyStart("memory");
    memory(json, "heapMemoryUsage", memory.getHeapMemoryUsage());
    memory(json, "nonHeapMemoryUsage", memory.getNonHeapMemoryUsage());
    // Nothing here is finalized.
    json.writeNumberProperty("objectsPendingFinalization", 0);
    json.writeEndObject();
  }

  private static void pools(JsonGenerator json) {
    json.writeObjectPropertyStart("pools");
    ManagementFactory.getMemoryPoolMXBeans()
        .forEach(pool -> {
          json.writeObjectPropertyStart(name(pool.getName()));
          memory(json, "collectionUsage", pool.getCollectionUsage());
          memory(json, "usage", pool.getUsage());
          memory(json, "peakUsage", pool.getPeakUsage());
          json.writeStringProperty("type", pool.getType().name());
          json.writeEndObject();
        });
    json.writeEndObject();
  }

  /** Writes the use of some memory; null if Java does not know it. */
  private static void memory(JsonGenerator json, String name, @Nullable MemoryUsage usage) {
    if (usage == null) {
      json.writeNullProperty(name);
      return;
    }
    json.writeObjectPropertyStart(name);
    json.writeNumberProperty("init", usage.getInit());
    json.writeNumberProperty("used", usage.getUsed());
    json.writeNumberProperty("committed", usage.getCommitted());
    json.writeNumberProperty("max", usage.getMax());
    json.writeEndObject();
  }

  /** Returns a name as OpenTSDB writes it: without blanks, its first letter small. */
  private static String name(String name) {
    String joined = name.replace(" ", "");
    return joined.substring(0, 1).toLowerCase(Locale.ROOT) + joined.substring(1);
  }

  /** {@code /api/stats/threads}: platform threads, without their stacks. */
  static void threads(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartArray();
          for (Thread thread : Thread.getAllStackTraces().keySet()) {
            json.writeStartObject();
            json.writeNumberProperty("threadID", thread.threadId());
            json.writeStringProperty("name", thread.getName());
            json.writeStringProperty("state", thread.getState().name());
            json.writeBooleanProperty("interrupted", thread.isInterrupted());
            json.writeNumberProperty("priority", thread.getPriority());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }
}
