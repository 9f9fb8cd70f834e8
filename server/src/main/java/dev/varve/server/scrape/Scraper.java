package dev.varve.server.scrape;

import dev.varve.engine.Dataset;
import dev.varve.server.config.ConfigException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.scrape.ScrapeConfig.TargetFiles;
import dev.varve.server.scrape.ScrapeConfig.TargetGroup;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Scrapes all targets of all jobs, each on its own virtual thread. It watches the files that list
 * targets and starts or ends loops as targets appear or disappear.
 */
public final class Scraper implements AutoCloseable {
  /** Interval at which files are checked for changes. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** Maximum number of concurrent scrapes, each with its answer in memory. */
  private static final int ROOM = 128;

  /** Maximum time for a loop to end. */
  private static final Duration STOP = Duration.ofSeconds(5);

  private static final RateLimitedLog FAULTS = new RateLimitedLog("scrape");

  private final ScrapeLoop.Shared shared;
  private final List<Pool> pools = new ArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread looking;

  /**
   * Starts scraping.
   *
   * @param version of the server, for the User-Agent header
   * @param budget accounts for scrapes until they are written
   * @throws IllegalArgumentException if a job's certificates cannot be read
   */
  public Scraper(
      Scrapes scrapes,
      Dataset dataset,
      IngestListener ingest,
      Clock clock,
      String version,
      WriteBudget budget) {
    boolean holdsMarkers = dataset.holdsStaleMarkers();
    this.shared =
        new ScrapeLoop.Shared(dataset, ingest, clock, holdsMarkers, new Semaphore(ROOM), budget);
    for (ScrapeConfig job : scrapes.jobs()) {
      pools.add(new Pool(job, new ScrapeClient(job, version)));
    }
    pools.forEach(Pool::look);
    this.looking = Thread.ofVirtual().name("varve-scrape-files").start(this::lookAgain);
  }

  private void lookAgain() {
    try {
      while (!stopped.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        pools.forEach(Pool::look);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the jobs, sorted by name. */
  List<Pool> pools() {
    return pools.stream().sorted(Comparator.comparing(pool -> pool.job.jobName())).toList();
  }

  /** Returns the number of active targets. */
  public int targets() {
    return pools.stream().mapToInt(pool -> pool.loops().size()).sum();
  }

  /** Ends all loops and waits for their writes. */
  @Override
  public void close() {
    stopped.countDown();
    try {
      looking.join(STOP);
      pools.forEach(Pool::stop);
      for (Pool pool : pools) {
        pool.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The targets of one job. */
  final class Pool {
    private final ScrapeConfig job;
    private final ScrapeClient client;
    private final Map<Path, Listing> listings = new TreeMap<>();
    private List<ScrapeLoop> loops = List.of();

    /** Loops whose targets disappeared, as long as they may still write. */
    private final List<ScrapeLoop> leaving = new ArrayList<>();

    private List<Target.Dropped> dropped = List.of();
    private boolean looked;

    private Pool(ScrapeConfig job, ScrapeClient client) {
      this.job = job;
      this.client = client;
    }

    String name() {
      return job.jobName();
    }

    synchronized List<ScrapeLoop> loops() {
      return loops;
    }

    synchronized List<Target.Dropped> dropped() {
      return dropped;
    }

    /** Reads the files that changed and adapts the loops. */
    private synchronized void look() {
      if (readFiles() || !looked) {
        looked = true;
        List<TargetGroup> groups = new ArrayList<>(job.targets());
        listings.values().forEach(listing -> groups.addAll(listing.groups()));
        follow(Target.of(job, groups));
      }
    }

    private void follow(Target.All wanted) {
      wanted
          .problems()
          .forEach(problem -> FAULTS.warn("targets left out", job.jobName() + ": " + problem));
      dropped = List.copyOf(wanted.dropped());
      List<ScrapeLoop> next = new ArrayList<>();
      List<ScrapeLoop> begun = new ArrayList<>();
      List<ScrapeLoop> gone = new ArrayList<>(loops);
      for (Target target : wanted.active()) {
        ScrapeLoop running =
            gone.stream().filter(loop -> loop.target().isSameAs(target)).findFirst().orElse(null);
        if (running == null) {
          running = new ScrapeLoop(job, target, client, shared);
          begun.add(running);
        }
        gone.remove(running);
        next.add(running);
      }
      loops = List.copyOf(next);
      leaving.removeIf(ScrapeLoop::isOver);
      leaving.addAll(gone);
      gone.forEach(ScrapeLoop::end);
      begun.forEach(loop -> loop.start(this::isScraped));
    }

    private boolean isScraped(Target target) {
      return loops().stream().anyMatch(loop -> loop.target().labels().equals(target.labels()));
    }

    /**
     * Returns whether any target list changed. A file that has become unreadable keeps its last
     * targets.
     */
    private boolean readFiles() {
      Map<Path, FileTime> found = new HashMap<>();
      for (TargetFiles files : job.files()) {
        found.putAll(matching(files.pattern()));
      }
      boolean changed = listings.keySet().retainAll(found.keySet());
      for (Map.Entry<Path, FileTime> file : found.entrySet()) {
        Listing known = listings.get(file.getKey());
        if (known == null || !known.changed().equals(file.getValue())) {
          changed |= read(file.getKey(), file.getValue(), known);
        }
      }
      return changed;
    }

    private boolean read(Path file, FileTime time, @Nullable Listing known) {
      try {
        listings.put(file, new Listing(time, ScrapeReader.targets(file)));
        return true;
      } catch (IOException | ConfigException e) {
        FAULTS.warn("files of targets", job.jobName() + ": " + e.getMessage());
        listings.put(file, new Listing(time, known == null ? List.of() : known.groups()));
        return false;
      }
    }

    private synchronized void stop() {
      loops.forEach(ScrapeLoop::stop);
      leaving.forEach(ScrapeLoop::stop);
      client.close();
    }

    /** Waits for running loops, without the lock because they may need it. */
    private void join() throws InterruptedException {
      List<ScrapeLoop> all;
      synchronized (this) {
        all = new ArrayList<>(loops);
        all.addAll(leaving);
      }
      for (ScrapeLoop loop : all) {
        loop.join(STOP);
      }
    }
  }

  /** The content of a file at its last change. */
  private record Listing(FileTime changed, List<TargetGroup> groups) {}

  /** Returns the files that match a pattern, with their modification times. */
  private static Map<Path, FileTime> matching(Path pattern) {
    Map<Path, FileTime> found = new HashMap<>();
    Path folder = pattern.toAbsolutePath().getParent();
    String name = String.valueOf(pattern.getFileName());
    if (folder == null) {
      return found;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, name)) {
      for (Path file : files) {
        found.put(file, Files.getLastModifiedTime(file));
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // The folder may appear later or may have been removed.
      return found;
    } catch (IOException e) {
      FAULTS.warn("files of targets", "cannot look into '" + folder + "': " + e.getMessage());
    }
    return found;
  }
}
