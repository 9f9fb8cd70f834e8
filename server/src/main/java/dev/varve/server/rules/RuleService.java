package dev.varve.server.rules;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.RunningQueries;
import dev.varve.rules.GroupStatus;
import dev.varve.rules.Rule;
import dev.varve.rules.RuleGroup;
import dev.varve.rules.RuleListener;
import dev.varve.rules.RuleScheduler;
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
 * Reads a server's rules, evaluates them on its datasets, and reloads them when their files change.
 * Thread-safe.
 */
public final class RuleService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleService.class);

  /** A changed file is read only after it has been unchanged for this long. */
  private static final Duration SETTLE = Duration.ofSeconds(1);

  private final RulesConfig config;
  private final ServerMetrics metrics;
  private final Clock clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, RuleScheduler> schedulers = new ConcurrentHashMap<>();

  /** By dataset; the empty name is the default dataset. Guarded by this. */
  private Map<String, List<RuleGroup>> groups;

  /** Fingerprints of the files at the last read. Guarded by this. */
  private List<String> seen;

  private volatile @Nullable Notifier notifier;
  private @Nullable Thread watch;

  /** Name of the default dataset. Guarded by this. */
  private String defaultDataset = "";

  private volatile boolean lastReadGood = true;
  private volatile long lastRead;

  /**
   * Reads the rule files.
   *
   * @throws ConfigException with all errors in the files
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
   * Starts evaluating rules.
   *
   * @param engine must stay open until this service is closed
   * @param queries admits the queries of rules
   * @param limits of each query
   * @param firstPort address of the server
   * @throws dev.varve.engine.error.UnknownDatasetException if the configuration names a dataset
   *     that does not exist
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

  /** A file rewritten in place is empty at first, and an empty file would remove its rules. */
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

  /** Returns a fingerprint of the files: path, size, time and file key. */
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
   * Reads all files again and runs their rules.
   *
   * @throws ConfigException if the files contain an error; the previous rules remain in effect
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

  /** Returns the state of a dataset's groups, by file and name. */
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

  /** Stops all rules, then sends the queued alerts. */
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

  /** Logs failures; a rule that keeps failing is logged only when its problem changes. */
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
