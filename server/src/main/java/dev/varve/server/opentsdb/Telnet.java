package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import dev.varve.server.DialectContext;
import dev.varve.server.feed.LineBuffer;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.ingest.Intake;
import dev.varve.server.text.BadLineException;
import dev.varve.server.text.OpenTsdbLines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Lines of commands: {@code put metric time value tag=value ...}, KairosDB's {@code putm}, which is
 * the same with a time in milliseconds, {@code version}, {@code help}, {@code exit}.
 *
 * <p>A {@code put} that went well has no answer, so that nothing is acknowledged. What comes with
 * one read of the socket is written as one batch before more is read, which makes a fast sender
 * wait; a line that is wrong, and a sample that is refused, is answered by one line, in the words
 * of the original: {@code put: illegal argument: ...}.
 */
public final class Telnet implements StreamProtocol {
  public static final String NAME = "opentsdb";

  /** A line holds a metric and eight tags with room to spare; a longer one is no line. */
  static final int LINE_MAX = 16 << 10;

  private static final String HELP = "available commands: exit help put putm version\n";

  private final DialectContext context;

  public Telnet(DialectContext context) {
    this.context = context;
  }

  @Override
  public void serve(InputStream in, OutputStream out) throws IOException {
    new Session(out).serve(in);
  }

  private final class Session {
    private final OutputStream out;
    private final OpenTsdbLines format = new OpenTsdbLines(Resolution.MILLISECONDS);
    private final LineBuffer lines = new LineBuffer(LINE_MAX);
    private final BatchBuilder batch = new BatchBuilder();
    private final StringBuilder answers = new StringBuilder();
    private int puts;
    private int bad;
    private boolean exit;

    private Session(OutputStream out) {
      this.out = out;
    }

    private void serve(InputStream in) throws IOException {
      boolean more = true;
      while (more && !exit) {
        more = lines.fill(in);
        while (!exit && lines.next()) {
          if (lines.tooLong()) {
            bad++;
            answers.append("error: line is longer than ").append(LINE_MAX).append(" bytes\n");
          } else {
            command(lines.from(), lines.to());
          }
        }
        if (!more && lines.hasRest()) {
          bad++;
          answers.append("error: the connection ends in the middle of a line\n");
        }
        flush();
      }
    }

    private void command(int from, int to) {
      String word = word(from, to);
      switch (word) {
        case "put" -> put(word, () -> format.read(lines.bytes(), from, to, batch));
        case "putm" -> {
          int behind = from + word.length();
          put(word, () -> format.readMilliseconds(lines.bytes(), behind, to, batch));
        }
        case "" -> {
          // An empty line asks nothing.
        }
        case "version" ->
            answers
                .append("net.opentsdb.tools 2.4.0 (Varve ")
                .append(context.version())
                .append(")\n");
        case "help" -> answers.append(HELP);
        case "exit", "diediedie" -> exit = word.equals("exit") || refuse(word);
        default -> answers.append("unknown command: ").append(word).append(".  Try `help'.\n");
      }
    }

    private boolean refuse(String word) {
      answers.append("unknown command: ").append(word).append(".  Try `help'.\n");
      return false;
    }

    private String word(int from, int to) {
      int end = from;
      while (end < to && lines.bytes()[end] != ' ' && lines.bytes()[end] != '\t') {
        end++;
      }
      // Commands are short; of anything else the beginning is enough to name it.
      return new String(lines.bytes(), from, Math.min(end - from, 100), StandardCharsets.UTF_8);
    }

    private void put(String command, Runnable reading) {
      try {
        int before = batch.sampleCount();
        reading.run();
        if (batch.sampleCount() == before) {
          throw new BadLineException("not enough arguments (need least 4, got 0)");
        }
        puts++;
      } catch (BadLineException e) {
        bad++;
        answers.append(command).append(": illegal argument: ");
        answers.append(e.getMessage()).append('\n');
      }
    }

    /** Writes what was put and answers what was wrong. */
    private void flush() throws IOException {
      if (!batch.isEmpty()) {
        String failure = write();
        if (failure != null) {
          answers.append(failure).append('\n');
        }
      }
      if (bad > 0) {
        context.lines(NAME, "bad", bad);
      }
      if (puts > 0) {
        context.lines(NAME, "read", puts);
      }
      bad = 0;
      puts = 0;
      if (!answers.isEmpty()) {
        byte[] text = answers.toString().getBytes(StandardCharsets.UTF_8);
        answers.setLength(0);
        out.write(text);
      }
    }

    /** What went wrong with the batch as a whole. */
    private @Nullable String write() {
      try {
        Dataset dataset = context.defaultDataset();
        Intake intake = new Intake(dataset, NAME, context.ingest());
        intake.write(batch.build(), false);
        for (Rejection rejection : intake.rejections()) {
          answers
              .append("put: illegal argument: ")
              .append(rejection.key())
              .append(": ")
              .append(rejection.refusal().message())
              .append('\n');
        }
        return null;
      } catch (OverloadedException e) {
        return "put: Please throttle writes: " + e.getMessage();
      } catch (WriteFailedException | HttpError e) {
        return "put: storage error: " + e.getMessage();
      }
    }
  }
}
