package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.scrape.ScrapeConfig.Limits;
import dev.varve.server.scrape.ScrapeConfig.TargetGroup;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Fuzzed: the section {@code scrape} of a configuration, and as the same text a file of targets,
 * which is printed and read again as the same. What is taken keeps what is promised of it; what is
 * not has problems that are named.
 */
public final class ScrapeConfigFuzz {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Path NOWHERE = Path.of("/nowhere");
  private static @Nullable Path file;

  private ScrapeConfigFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    try {
      if (ConfigNode.parse(new String(input, UTF_8), "fuzz", true)
          instanceof ConfigNode.Mapping mapping) {
        read(mapping);
      }
      List<TargetGroup> targets = targets(input);
      if (!targets(printed(targets).getBytes(UTF_8)).equals(targets)) {
        throw new AssertionError(targets + " are printed as " + printed(targets));
      }
    } catch (ConfigException e) {
      ensureReasons(e.problems());
    } catch (CharacterCodingException e) {
      // A file that is no UTF-8 cannot be read.
      return;
    }
  }

  private static void read(ConfigNode.Mapping mapping) {
    List<String> problems = new ArrayList<>();
    Scrapes read = ScrapeReader.read(new ConfigReader(mapping, "scrape", problems), NOWHERE);
    if (!problems.isEmpty()) {
      ensureReasons(problems);
    } else if (read != null) {
      read.jobs().forEach(ScrapeConfigFuzz::ensureSound);
    }
  }

  private static void ensureReasons(List<String> problems) {
    if (problems.isEmpty() || problems.contains("")) {
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

  private static String printed(List<TargetGroup> targets) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
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
    return text.toString();
  }
}
