package dev.varve.server.rules;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.query.QueryLimits;
import dev.varve.query.rules.GroupStatus;
import dev.varve.query.rules.Rule;
import dev.varve.query.rules.RuleGroup;
import dev.varve.query.rules.RuleListener;
import dev.varve.query.rules.RuleScheduler;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.config.ConfigException;
import dev.varve.server.operations.ServerMetrics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of a server: read, run over its datasets, and read again when their files change. Safe
 * for use by several threads.
 */
public final class RuleService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleService.class);

  /** Files are read once they have not changed for so long. */
  private static final Duration SETTLE = Duration.ofSeconds(1);

  private final RulesConfig config;
  private final ServerMetrics metrics;
  private final Clock clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, RuleScheduler> schedulers = new ConcurrentHashMap<>();

  /** By dataset; the default one has the empty name. Guarded by this. */
  private Map<String, List<RuleGroup>> groups;

  /** What the files looked like when they were read. Guarded by this. */
  private List<String> seen;

  private volatile @Nullable Notifier notifier;
  private @Nullable Thread watch;

  /** Guarded by this. */
  private String defaultDataset = "";

  private volatile boolean lastReadGood = true;
  private volatile long lastRead;

  /**
   * Reads the rule files.
   *
   * @throws ConfigException with all that is wrong with them
   */
  public RuleService(RulesConfig config, ServerMetrics metrics, Clock clock) {
    this.config = config;
    this.metrics = metrics;
    this.clock = clock;
    this.seen = look();
    this.groups = read();
    this.lastRead = clock.millis();
    metrics.figures(this::figures);
  }

  private Map<String, List<Path>> patterns() {
    Map<String, List<Path>> all = new LinkedHashMap<>(config.datasets());
    all.put("", config.files());
    return all;
  }

  private Map<String, List<RuleGroup>> read() {
    Map<String, List<RuleGroup>> read = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    patterns()
        .forEach((dataset, patterns) -> {
          try {
            read.put(dataset, RuleFiles.read(RuleFiles.find(patterns), config.interval()));
          } catch (ConfigException e) {
            problems.addAll(e.problems());
          }
        });
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return read;
  }

  /**
   * Begins to work rules out.
   *
   * @param engine that is open until this is closed
   * @param queries among which those of rules are let in
   * @param limits of each of them
   * @param firstPort where the server is found
   * @throws dev.varve.engine.UnknownDatasetException if a dataset is named that there is not
   */
  public synchronized void start(
      Engine engine, RunningQueries queries, QueryLimits limits, URI firstPort) {
    if (config.isEmpty()) {
      return;
    }
    Notifier telling = new Notifier(config.alerting(), config.externalLabels());
    notifier = telling;
    Semaphore places = new Semaphore(config.concurrency(), true);
    for (String name : groups.keySet()) {
      Dataset dataset = name.isEmpty() ? engine.defaultDataset() : engine.dataset(name);
      schedulers.computeIfAbsent(
          dataset.name(),
          key ->
              new RuleScheduler(
                  new DatasetRules(dataset, queries, limits, metrics),
                  config.settings(firstPort),
                  telling,
                  new Log(dataset.name()),
                  places,
                  clock));
    }
    defaultDataset = engine.defaultDataset().name();
    runAll();
    Duration reread = config.reread();
    if (reread != null) {
      watch = Thread.ofVirtual().name("varve-rules-reread").start(() -> watch(reread));
    }
  }

  private void runAll() {
    Map<String, List<RuleGroup>> byDataset = new LinkedHashMap<>();
    groups.forEach((name, some) ->
        byDataset
            .computeIfAbsent(name.isEmpty() ? defaultDataset : name, key -> new ArrayList<>())
            .addAll(some));
    byDataset.forEach((name, all) -> {
      RuleScheduler scheduler = schedulers.get(name);
      if (scheduler != null) {
        scheduler.run(all);
      }
    });
  }

  private void watch(Duration every) {
    try {
      while (!closed.await(every.toNanos(), TimeUnit.NANOSECONDS)) {
        List<String> now = look();
        if (isChanged(now) && isAtRest(now, every)) {
          rereadIfChanged();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean isChanged(List<String> now) {
    return !now.equals(seen);
  }

  /** A file that is written in place is empty first, and an empty file holds no rules. */
  private boolean isAtRest(List<String> now, Duration every) throws InterruptedException {
    long pause = Math.min(every.toNanos(), SETTLE.toNanos());
    return !closed.await(pause, TimeUnit.NANOSECONDS) && look().equals(now);
  }

  private synchronized void rereadIfChanged() {
    if (isChanged(look())) {
      try {
        reload();
      } catch (ConfigException e) {
        LOG.warn(
            "rule files have changed and cannot be read; the earlier rules stay active: {}",
            e.getMessage());
      }
    }
  }

  /** What tells whether files are still the same: path, size and time. */
  private List<String> look() {
    List<String> looks = new ArrayList<>();
    for (List<Path> patterns : patterns().values()) {
      List<Path> files;
      try {
        files = RuleFiles.find(patterns);
      } catch (ConfigException e) {
        looks.add(String.valueOf(e.getMessage()));
        continue;
      }
      for (Path file : files) {
        try {
          BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
          looks.add(file + " " + is.size() + " " + is.lastModifiedTime() + " " + is.fileKey());
        } catch (IOException e) {
          looks.add(file + " cannot be read");
        }
      }
    }
    return looks;
  }

  /**
   * Reads all files again and runs what stands in them.
   *
   * @throws ConfigException if something is wrong with them; what ran before goes on
   */
  public synchronized void reload() {
    seen = look();
    try {
      groups = read();
      lastReadGood = true;
      lastRead = clock.millis();
    } catch (ConfigException e) {
      lastReadGood = false;
      throw e;
    }
    runAll();
    LOG.info("rule files read: {} groups", groups.values().stream().mapToInt(List::size).sum());
  }

  /** What has become of the groups of a dataset, by file and name. */
  public List<GroupStatus> groups(Dataset dataset) {
    RuleScheduler scheduler = schedulers.get(dataset.name());
    return scheduler == null ? List.of() : scheduler.groups();
  }

  private Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    if (config.isEmpty()) {
      return figures;
    }
    figures.put("rules_last_reload_successful", lastReadGood ? 1.0 : 0.0);
    figures.put("rules_last_reload_success_timestamp_seconds", lastRead / 1e3);
    schedulers.forEach((dataset, scheduler) ->
        scheduler.groups().forEach(status -> figures(dataset, status, figures)));
    Notifier telling = notifier;
    if (telling != null) {
      figures.putAll(telling.figures());
    }
    return figures;
  }

  private static void figures(String dataset, GroupStatus status, Map<String, Double> figures) {
    String label =
        "{dataset=\"%s\",rule_group=\"%s\"}"
            .formatted(dataset, status.group().key().replace('"', '\''));
    GroupStatus.Counts counts = status.counts();
    figures.put("rule_group_iterations_total" + label, (double) counts.iterations());
    figures.put("rule_group_iterations_missed_total" + label, (double) counts.missed());
    figures.put("rule_evaluations_total" + label, (double) counts.evaluations());
    figures.put("rule_evaluation_failures_total" + label, (double) counts.failures());
    figures.put("rule_group_last_evaluation_samples" + label, (double) counts.samples());
    figures.put("rule_group_last_duration_seconds" + label, seconds(status.took()));
    figures.put("rule_group_interval_seconds" + label, seconds(status.group().interval()));
    figures.put("rule_group_rules" + label, (double) status.group().rules().size());
    if (status.lastEvaluation() != null) {
      figures.put(
          "rule_group_last_evaluation_timestamp_seconds" + label,
          status.lastEvaluation().toEpochMilli() / 1e3);
    }
    if (counts.restored() != null) {
      figures.put("rule_group_last_restore_duration_seconds" + label, seconds(counts.restored()));
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  /** Stops all rules, then tells of the alerts that wait. */
  @Override
  public void close() {
    closed.countDown();
    List<Thread> ends =
        schedulers.values().stream()
            .map(scheduler -> Thread.ofVirtual().start(scheduler::close))
            .toList();
    try {
      for (Thread end : ends) {
        end.join();
      }
      if (watch != null) {
        watch.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Notifier telling = notifier;
    if (telling != null) {
      telling.close();
    }
  }

  /** Says in the log what goes wrong; of a rule that goes on failing, once until it says other. */
  private static final class Log implements RuleListener {
    private final String dataset;
    private final Map<String, String> said = new ConcurrentHashMap<>();

    Log(String dataset) {
      this.dataset = dataset;
    }

    @Override
    public void failed(
        RuleGroup group, @Nullable Rule rule, String problem, @Nullable Throwable cause) {
      String name = rule == null ? "" : rule.name();
      String before = said.put(group.key() + ";" + name, problem);
      if (!problem.equals(before)) {
        LOG.warn(
            "dataset '{}', {}, group '{}', rule '{}': {}",
            dataset,
            group.file(),
            group.name(),
            name,
            problem,
            cause);
      }
    }
  }
}
