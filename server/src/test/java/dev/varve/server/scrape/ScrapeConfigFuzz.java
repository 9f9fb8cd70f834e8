package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.server.FuzzJson;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.scrape.ScrapeConfig.Limits;
import dev.varve.server.scrape.ScrapeConfig.TargetGroup;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Fuzzes the section {@code scrape} of a configuration, and a file of targets with the same text,
 * which must be the same after it is printed and read again. Accepted configurations, and targets
 * made from them, must satisfy the documented bounds; rejected ones must yield problems.
 */
public final class ScrapeConfigFuzz {
  private static final Path NOWHERE = Path.of("/nowhere");
  private static final ScrapeConfig JOB = job();
  private static @Nullable Path file;

  private ScrapeConfigFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    try {
      if (ConfigNode.parse(new String(input, UTF_8), "fuzz", true)
          instanceof ConfigNode.Mapping mapping) {
        read(mapping);
      }
      List<TargetGroup> targets = targets(input);
      String printed = FuzzJson.printed(json -> print(targets, json));
      if (!targets(printed.getBytes(UTF_8)).equals(targets)) {
        throw new AssertionError(targets + " are printed as " + printed);
      }
      ensureSound(JOB, targets);
    } catch (ConfigException e) {
      ensureReasons(e.problems(), false);
    } catch (CharacterCodingException e) {
      // A file that is not UTF-8 cannot be read.
      return;
    }
  }

  private static ScrapeConfig job() {
    ConfigNode.Mapping mapping =
        (ConfigNode.Mapping) ConfigNode.parse("scrape_configs: [{job_name: fuzz}]", "fuzz", true);
    ConfigReader reader = new ConfigReader(mapping, "scrape", new ArrayList<>());
    return Objects.requireNonNull(ScrapeReader.read(reader, NOWHERE)).jobs().getFirst();
  }

  private static void read(ConfigNode.Mapping mapping) {
    List<String> problems = new ArrayList<>();
    Scrapes read = ScrapeReader.read(new ConfigReader(mapping, "scrape", problems), NOWHERE);
    if (!problems.isEmpty()) {
      ensureReasons(problems, false);
    } else if (read != null) {
      read.jobs().forEach(ScrapeConfigFuzz::ensureSound);
    }
  }

  private static void ensureReasons(List<String> problems, boolean maybeNone) {
    if ((problems.isEmpty() && !maybeNone) || problems.contains("")) {
      throw new AssertionError("refused without a reason: " + problems);
    }
  }

  private static void ensureSound(ScrapeConfig job) {
    Limits limits = job.limits();
    if (job.jobName().isEmpty()
        || !job.interval().isPositive()
        || job.timeout().compareTo(job.interval()) > 0
        || limits.samples() < 0
        || limits.labels() < 0
        || limits.labelName() < 0
        || limits.labelValue() < 0
        || limits.body() < 0) {
      throw new AssertionError("taken: " + job);
    }
    ensureSound(job, job.targets());
  }

  /** Checks the targets of a job after relabelling. */
  private static void ensureSound(ScrapeConfig job, List<TargetGroup> groups) {
    Target.All all = Target.of(job, groups);
    ensureReasons(all.problems(), true);
    for (Target target : all.active()) {
      if (target.offset(1).compareTo(target.interval()) > 0
          || target.timeout().compareTo(target.interval()) > 0
          || HttpRequest.newBuilder(target.url()).build().uri().getHost().isEmpty()) {
        throw new AssertionError("taken: " + target);
      }
    }
  }

  private static List<TargetGroup> targets(byte[] text) throws IOException {
    Path known = file;
    if (known == null) {
      known = Files.createTempFile("varve-fuzz", ".json");
      known.toFile().deleteOnExit();
      file = known;
    }
    Files.write(known, text);
    return ScrapeReader.targets(known);
  }

  private static void print(List<TargetGroup> targets, JsonGenerator json) {
    json.writeStartArray();
    for (TargetGroup group : targets) {
      json.writeStartObject();
      json.writeArrayPropertyStart("targets");
      group.targets().forEach(json::writeString);
      json.writeEndArray();
      json.writeObjectPropertyStart("labels");
      group.labels().forEach(json::writeStringProperty);
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
