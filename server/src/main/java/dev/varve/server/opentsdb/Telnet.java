package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.OpenTsdbLines;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.feed.LineBuffer;
import dev.varve.server.http.Caller;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.Right;
import dev.varve.server.http.Sender;
import dev.varve.server.http.SenderRefusedException;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * OpenTSDB's telnet commands: {@code put metric time value tag=value ...}, {@code rollup}, {@code
 * histogram}, {@code stats}, {@code version}, {@code help}, {@code dropcaches} and {@code exit}.
 * KairosDB's {@code putm} takes a time in milliseconds, and its {@code puts} a text.
 *
 * <p>A successful {@code put} is not answered, so nothing is acknowledged. All lines of one read of
 * the socket are written as one batch before more is read, which slows down a fast sender. Each
 * invalid line and each rejected sample is answered with one line, in OpenTSDB's format: {@code
 * put: illegal argument: ...}.
 */
public final class Telnet implements StreamProtocol {
  public static final String NAME = "opentsdb";

  /** Maximum length of a line in bytes, ample for a metric with eight tags. */
  static final int LINE_MAX = 16 << 10;

  /** Number of characters of answers that are buffered before they are sent. */
  private static final int ANSWERS_MAX = 16 << 10;

  private static final String HELP =
      "available commands: dropcaches exit help histogram put putm puts rollup stats version\n";

  private static final RateLimitedLog LOST = new RateLimitedLog("telnet");

  private final DialectContext context;

  public Telnet(DialectContext context) {
    this.context = context;
  }

  @Override
  public void serve(Sender sender, InputStream in, OutputStream out, Reservation memory)
      throws IOException {
    try {
      context.defaultDataset(sender.now());
    } catch (HttpError e) {
      // The stores are not open yet; accepting the sender would lose its points.
      out.write(("error: " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
      return;
    }
    new Session(sender, out, memory).serve(in);
  }

  private final class Session {
    private final Sender connected;

    /** The sender with the rights that it had when the lines being read arrived. */
    private Caller sender;

    private final OutputStream out;
    private final OpenTsdbLines format = new OpenTsdbLines(Resolution.MILLISECONDS);
    private final Reservation memory;
    private final LineBuffer lines;
    private final BatchBuilder batch;
    private final LinePoints others;
    private final StringBuilder answers = new StringBuilder();
    private int puts;
    private int bad;
    private String firstBad = "";
    private boolean exit;

    private Session(Sender connected, OutputStream out, Reservation memory) {
      this.connected = connected;
      this.sender = connected.now();
      this.out = out;
      this.memory = memory;
      this.lines = new LineBuffer(LINE_MAX, memory);
      this.batch = new BatchBuilder(memory::hold);
      this.others = new LinePoints(context, memory);
    }

    private void serve(InputStream in) throws IOException {
      boolean first = true;
      boolean more = true;
      while (more && !exit) {
        more = lines.fill(in);
        identify();
        while (!exit && lines.next()) {
          if (first && lines.mayBeHttp()) {
            refuse("error: this listener takes lines, not HTTP");
            exit = true;
            continue;
          }
          first = false;
          if (lines.tooLong()) {
            tooLong();
          } else {
            command(lines.from(), lines.to());
          }
          if (answers.length() > ANSWERS_MAX) {
            answer();
          }
        }
        if (!more && lines.hasRest()) {
          refuse("error: the connection ends in the middle of a line");
        }
        flush();
      }
    }

    /**
     * Finds out what the sender may do now.
     *
     * @throws SenderRefusedException if that is nothing; the lines that have arrived are then lost
     */
    private void identify() {
      try {
        sender = connected.now();
      } catch (SenderRefusedException e) {
        int arrived = 0;
        while (lines.next()) {
          arrived++;
        }
        context.lines(NAME, "lost", arrived);
        LOST.warn("lines lost", arrived, () -> String.valueOf(e.getMessage()));
        throw e;
      }
    }

    private void tooLong() {
      if (lines.dropped().isEmpty()) {
        refuse("error: line is longer than " + LINE_MAX + " bytes");
      } else {
        lose("put: Please throttle writes: " + lines.dropped());
      }
    }

    private void command(int from, int to) throws IOException {
      String word = word(from, to);
      switch (word) {
        case "put" -> put(word, () -> point(from, to));
        case "putm" -> {
          int start = from + word.length();
          put(word, () -> sample(() -> format.readMilliseconds(lines.bytes(), start, to, batch)));
        }
        case "puts" -> {
          int start = from + word.length();
          put(word, () -> sample(() -> format.readText(lines.bytes(), start, to, batch)));
        }
        case "" -> {
          // Ignored.
        }
        case "version" ->
            answers
                .append("net.opentsdb.tools 2.4.0 (Varve ")
                .append(context.version())
                .append(")\n");
        case "help" -> answers.append(HELP);
        case "stats" -> stats();
        case "dropcaches" -> answers.append("Caches dropped.\n");
        case "rollup" -> {
          String line = line(from, to);
          put(word, () -> others.rollup(sender, line));
        }
        case "histogram" -> {
          String line = line(from, to);
          put(word, () -> others.histogram(sender, line));
        }
        case "exit" -> exit = true;
        default -> refuse("unknown command: " + word + ".  Try `help'.");
      }
    }

    private void stats() {
      if (!sender.may(Right.READ)) {
        refuse("stats: user '%s' has no right to read".formatted(sender.name()));
        return;
      }
      long seconds = context.clock().millis() / 1000;
      Dataset dataset = context.defaultDataset(sender);
      new About(context)
          .figures(
              dataset,
              (name, value) ->
                  answers.append(
                      "%s %d %d dataset=%s\n".formatted(name, seconds, value, dataset.name())));
    }

    /** Answers a rejected line; also counts and logs it because few senders read answers. */
    private void refuse(String answer) {
      if (bad++ == 0) {
        firstBad = answer;
      }
      answers.append(answer).append('\n');
    }

    /** Answers a line for which there is not enough memory. */
    private void lose(String answer) {
      context.lines(NAME, "lost", 1);
      LOST.warn("lines lost", answer);
      answers.append(answer).append('\n');
    }

    private String word(int from, int to) {
      int end = from;
      while (end < to && lines.bytes()[end] != ' ' && lines.bytes()[end] != '\t') {
        end++;
      }
      // Commands are short; the beginning of any other word suffices to report it.
      return new String(lines.bytes(), from, Math.min(end - from, 100), StandardCharsets.UTF_8);
    }

    private void put(String command, Runnable reading) throws IOException {
      try {
        try {
          reading.run();
        } catch (OverBudgetException e) {
          // Earlier lines hold memory until they are written.
          flush();
          reading.run();
        }
        puts++;
      } catch (BadPointException e) {
        refuse(command + ": " + e.line());
      } catch (BadLineException e) {
        refuse(command + ": illegal argument: " + e.getMessage());
      } catch (OverBudgetException e) {
        lose(command + ": Please throttle writes: " + e.getMessage());
      }
    }

    /** Reads a {@code put}; a line that is not a point gets the answer of OpenTSDB. */
    private void point(int from, int to) {
      try {
        sample(() -> format.read(lines.bytes(), from, to, batch));
      } catch (BadLineException e) {
        String fault = LineFault.ofPut(line(from, to));
        throw fault == null ? e : BadPointException.of(fault);
      }
    }

    private String line(int from, int to) {
      return new String(lines.bytes(), from, to - from, StandardCharsets.UTF_8);
    }

    private void sample(Runnable reading) {
      int before = batch.sampleCount();
      reading.run();
      if (batch.sampleCount() == before) {
        throw new BadLineException("not enough arguments (need least 4, got 0)");
      }
    }

    /** Writes the collected points and answers errors. */
    private void flush() throws IOException {
      if (!batch.isEmpty()) {
        String failure = write();
        if (failure != null) {
          answers.append(failure).append('\n');
          context.lines(NAME, "lost", puts);
          LOST.warn("lines lost", puts, () -> failure);
        }
      }
      if (!others.isEmpty()) {
        String failure = writeOthers();
        if (failure != null) {
          answers.append(failure).append('\n');
          context.lines(NAME, "lost", 1);
          LOST.warn("lines lost", failure);
        }
      }
      if (bad > 0) {
        String first = firstBad;
        context.lines(NAME, "bad", bad);
        context.refused(NAME, Intake.SYNTAX, bad, () -> first);
      }
      if (puts > 0) {
        context.lines(NAME, "read", puts);
      }
      bad = 0;
      puts = 0;
      answer();
    }

    private void answer() throws IOException {
      if (!answers.isEmpty()) {
        byte[] text = answers.toString().getBytes(StandardCharsets.UTF_8);
        answers.setLength(0);
        out.write(text);
      }
    }

    /** Writes what is not a plain sample; returns the error if it failed as a whole. */
    private @Nullable String writeOthers() {
      List<String> refusals = new ArrayList<>();
      try {
        others.write(refusals);
        return null;
      } catch (OverloadedException e) {
        return "rollup: Please throttle writes: " + e.getMessage();
      } catch (WriteFailedException | HttpError e) {
        return "rollup: storage error: " + e.getMessage();
      } finally {
        refusals.forEach(
            refusal -> answers.append("rollup: illegal argument: ").append(refusal).append('\n'));
      }
    }

    /** Writes the batch; returns the error if it failed as a whole. */
    private @Nullable String write() {
      try {
        Dataset dataset = context.defaultDataset(sender);
        Intake intake = new Intake(dataset, NAME, context.ingest());
        long bytes = batch.byteCount();
        try {
          intake.write(batch.build(), false);
        } finally {
          memory.letGo(bytes);
        }
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
