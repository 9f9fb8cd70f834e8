package dev.varve.server.security;

import dev.varve.server.config.ConfigException;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Guard;
import dev.varve.server.http.TlsTerms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates requests by files, which it reads again within about a second of a change. If a
 * file has a problem, the rules that were read before remain in force. Thread-safe.
 */
public final class AccessControl implements Guard, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final AccessFiles files;
  private final Function<AccessRules, List<String>> objections;
  private final Logins logins = new Logins();
  private final AtomicLong failedReloads = new AtomicLong();
  private volatile AccessRules rules;
  private volatile boolean lastReloadFailed;
  private volatile @Nullable RequestRate rate;
  private @Nullable Thread watcher;

  /** Fingerprints of the files at the last check; guarded by this. */
  private List<String> seen;

  private AccessControl(AccessFiles files, Function<AccessRules, List<String>> objections) {
    this.files = files;
    this.objections = objections;
    this.rules = checked();
    this.seen = fingerprints(rules);
    this.rate = RequestRate.of(rules.web().rate());
    logins.use(rules);
  }

  /**
   * Reads the files, and watches them if there are any.
   *
   * @param objections returns why rules do not fit the rest of the configuration; called at each
   *     reading
   * @throws ConfigException with all problems
   */
  public static AccessControl open(
      AccessFiles files, Function<AccessRules, List<String>> objections) {
    AccessControl control = new AccessControl(files, objections);
    if (files.web() != null || files.users() != null) {
      control.watcher = Thread.ofVirtual().name("varve-access").start(control::watch);
    }
    return control;
  }

  private AccessRules checked() {
    AccessRules read = AccessRules.read(files);
    List<String> problems = objections.apply(read);
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return read;
  }

  /** Returns the rules in force. */
  public AccessRules rules() {
    return rules;
  }

  /** Returns the terms of new TLS connections. */
  public TlsTerms tls() {
    return Objects.requireNonNull(rules.tls());
  }

  /**
   * Reads the files again.
   *
   * @throws ConfigException if they have a problem; what was read before remains in force
   */
  public synchronized void reload() {
    List<String> before = fingerprints(rules);
    seen = before;
    try {
      AccessRules next = checked();
      String obstacle = rules.cannotBecome(next);
      if (obstacle != null) {
        throw new ConfigException(List.of(files.web() + ": " + obstacle));
      }
      if (!Objects.equals(rules.web().rate(), next.web().rate())) {
        rate = RequestRate.of(next.web().rate());
      }
      // A file that changes while it is read is read once more.
      seen = next.files().equals(rules.files()) ? before : List.of();
      rules = next;
      logins.use(next);
      lastReloadFailed = false;
    } catch (RuntimeException e) {
      lastReloadFailed = true;
      failedReloads.incrementAndGet();
      throw e;
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(EVERY);
        reloadIfChanged();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void reloadIfChanged() {
    if (fingerprints(rules).equals(seen)) {
      return;
    }
    try {
      reload();
      LOG.info("reloaded certificates and users");
    } catch (ConfigException e) {
      LOG.error(
          "cannot reload certificates and users, the previous ones remain in force: {}",
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("cannot reload certificates and users, the previous ones remain in force", e);
    }
  }

  private List<String> fingerprints(AccessRules of) {
    List<Path> all = new ArrayList<>(of.files());
    for (Path file : new @Nullable Path[] {files.web(), files.users()}) {
      if (file != null) {
        all.add(file);
      }
    }
    return all.stream().map(AccessControl::fingerprint).toList();
  }

  private static String fingerprint(Path file) {
    try {
      // Followed through links, by which certificates are often replaced.
      Path real = file.toRealPath();
      return real + " " + Files.size(real) + " " + Files.getLastModifiedTime(real);
    } catch (IOException e) {
      return file + " cannot be read";
    }
  }

  @Override
  public Caller identify(Exchange exchange) {
    RequestRate limit = rate;
    if (limit != null) {
      limit.take();
    }
    AccessRules now = rules;
    return now.authenticates() ? logins.identify(exchange, now) : Caller.ANYONE;
  }

  @Override
  public Map<String, String> headers() {
    return rules.web().headers();
  }

  /** Returns the counts of failures by metric name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = logins.figures();
    figures.put("access_reload_failures_total", (double) failedReloads.get());
    figures.put("access_last_reload_successful", lastReloadFailed ? 0.0 : 1.0);
    return figures;
  }

  /** Records that a connection without requests was refused. */
  public void refused(String client) {
    logins.refused(client);
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.interrupt();
    }
    logins.close();
  }
}
