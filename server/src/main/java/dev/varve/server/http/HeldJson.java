package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * Parses JSON from a client. It reserves what it holds itself: the current token, which may be a
 * very long string, and all names that it has seen, until it is closed. The caller reserves what it
 * keeps of the tokens. For one thread.
 */
public final class HeldJson extends JsonParserDelegate {
  /**
   * Memory per byte of a token: two in the buffer, two while parts are joined, and two for the
   * string.
   */
  private static final int TOKEN_PER_BYTE = 6;

  /** Memory of a name without its characters, in bytes. */
  private static final int NAME_BYTES = 160;

  private static final int NAME_PER_CHARACTER = 4;

  private final HeldPart token;
  private final HeldPart ofNames;
  private final Set<String> names = new HashSet<>();

  private HeldJson(JsonParser parser, HeldPart token, Reservation memory) {
    super(parser);
    this.token = token;
    this.ofNames = new HeldPart(memory);
  }

  /**
   * Creates a parser. It shares no tables with other parsers, so a client cannot fill them.
   *
   * @param factory determines the accepted JSON
   * @param body closed with the parser
   * @throws OverBudgetException if there is no room; every reading method may throw it too
   */
  public static JsonParser of(JsonFactory factory, InputStream body, Reservation memory) {
    HeldPart token = new HeldPart(memory);
    // A copy has its own table of names; that of a shared factory would grow with the input of all
    // clients.
    JsonFactory own = factory.rebuild().recyclerPool(JsonRecyclerPools.nonRecyclingPool()).build();
    return new HeldJson(
        own.createParser(ObjectReadContext.empty(), new Counted(body, token)), token, memory);
  }

  @Override
  public @Nullable JsonToken nextToken() {
    token.letGo();
    JsonToken next = delegate.nextToken();
    if (next == JsonToken.PROPERTY_NAME) {
      note(delegate.currentName());
    }
    return next;
  }

  private void note(String name) {
    if (names.add(name)) {
      ofNames.hold(NAME_BYTES + (long) NAME_PER_CHARACTER * name.length());
    }
  }

  @Override
  public JsonParser skipChildren() {
    JsonToken first = currentToken();
    if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
      return this;
    }
    for (int open = 1; open > 0; ) {
      JsonToken next = nextToken();
      if (next == null) {
        return this;
      }
      open += next.isStructStart() ? 1 : next.isStructEnd() ? -1 : 0;
    }
    return this;
  }

  @Override
  public void close() {
    super.close();
    names.clear();
    token.letGo();
    ofNames.letGo();
  }

  /** Counts bytes that are read ahead as part of the current token. */
  private static final class Counted extends FilterInputStream {
    private final HeldPart token;

    Counted(InputStream in, HeldPart token) {
      super(in);
      this.token = token;
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      token.hold(b < 0 ? 0 : TOKEN_PER_BYTE);
      return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = super.read(into, offset, length);
      if (!isBlank(into, offset, offset + read)) {
        token.hold((long) TOKEN_PER_BYTE * Math.max(0, read));
      }
      return read;
    }

    /** Returns whether there are only blanks, which are dropped as they are read. */
    private static boolean isBlank(byte[] bytes, int from, int to) {
      for (int i = from; i < to; i++) {
        if (bytes[i] != ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t') {
          return false;
        }
      }
      return true;
    }
  }
}
