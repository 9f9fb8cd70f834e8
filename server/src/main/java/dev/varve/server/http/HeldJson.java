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
 * A parser of JSON that a client has sent. It reserves what it holds itself: the token at hand,
 * which may be one endless text, and all names that it has seen, which it keeps until it is closed.
 * What its reader keeps of the tokens, the reader reserves. For one thread.
 */
public final class HeldJson extends JsonParserDelegate {
  /**
   * What a byte of a token takes: two in the buffer that it gathers in, two while its parts are
   * joined and two for the text.
   */
  private static final int TOKEN_PER_BYTE = 6;

  /** What a name takes without its characters, and what each of these takes. */
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
   * Begins to read. Nothing of what is read outlives the parser, so that a client cannot fill what
   * parsers share.
   *
   * @param factory says which JSON is read
   * @param body is closed with the parser
   * @throws OverBudgetException also from every method that reads, if there is no room
   */
  public static JsonParser of(JsonFactory factory, InputStream body, Reservation memory) {
    HeldPart token = new HeldPart(memory);
    // A copy has tables of names of its own; the ones of a factory grow by what all clients send.
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

  /** Counts what is read ahead as part of the token at hand. */
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

    /** Blanks between tokens are dropped as they are read. */
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
