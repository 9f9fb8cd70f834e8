package dev.varve.server.opentsdb;

import dev.varve.server.FuzzIntake;
import dev.varve.server.http.Sender;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Fuzzes the input of one connection of OpenTSDB's telnet protocol. */
public final class TelnetFuzz {
  private static final Telnet TELNET = new Telnet(FuzzIntake.context());

  private TelnetFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    TELNET.serve(
        Sender.ANYONE,
        new ByteArrayInputStream(input),
        new ByteArrayOutputStream(),
        FuzzIntake.memory());
  }
}
