package dev.varve.server.opentsdb;

import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.DialectContext;
import dev.varve.server.FuzzIntake;
import dev.varve.server.ingest.Door;
import dev.varve.server.operations.ServerMetrics;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Clock;

/** Fuzzed: what one connection of OpenTSDB's telnet protocol says. */
public final class TelnetFuzz {
  private static final Telnet TELNET =
      new Telnet(
          new DialectContext(
              FuzzIntake::engine,
              null,
              new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, Clock.systemUTC()),
              QueryLimits.DEFAULTS,
              new ServerMetrics(),
              Door.OPEN,
              Clock.systemUTC(),
              "fuzz"));

  private TelnetFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    TELNET.serve(new ByteArrayInputStream(input), new ByteArrayOutputStream());
  }
}
