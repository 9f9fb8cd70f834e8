package dev.varve.rules.template;

import dev.varve.query.promql.Quoting;
import dev.varve.rules.template.Node.BranchKind;
import dev.varve.rules.template.Node.Command;
import dev.varve.rules.template.Node.Operand;
import dev.varve.rules.template.Node.Pipe;
import dev.varve.rules.template.Node.Statement;
import dev.varve.rules.template.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parses the tokens of a template. */
final class Parser {
  /** Maximum nesting of blocks and parentheses. */
  private static final int DEPTH_MAX = 100;

  private static final Set<String> NOT_SUPPORTED = Set.of("define", "template", "block");
  private static final Set<String> KEYWORDS =
      Set.of("if", "with", "range", "else", "end", "break", "continue");

  private final Failure.Source source;
  private final List<Token> tokens;
  private final List<String> variables = new ArrayList<>();
  private int at;
  private int depth;
  private int ranges;

  /**
   * Creates a parser.
   *
   * @param known the predefined variables
   */
  Parser(Failure.Source source, List<String> known) throws TemplateException {
    this.source = source;
    this.tokens = new Lexer(source).tokens();
    variables.addAll(known);
  }

  List<Statement> parse() throws TemplateException {
    List<Statement> body = body();
    if (peek().kind() != Kind.END) {
      throw wrong(tokens.get(at + 1), "unexpected {{%s}}".formatted(keyword()));
    }
    return body;
  }

  /**
   * Parses statements up to an {@code else} or {@code end}, which it does not consume, or up to the
   * end of the text.
   */
  private List<Statement> body() throws TemplateException {
    List<Statement> body = new ArrayList<>();
    while (true) {
      Token token = peek();
      switch (token.kind()) {
        case END -> {
          return body;
        }
        case TEXT -> {
          at++;
          body.add(new Node.Text(token.text(), token.start()));
        }
        default -> {
          String keyword = keyword();
          if (keyword.equals("else") || keyword.equals("end")) {
            return body;
          }
          body.add(action(keyword));
        }
      }
    }
  }

  /** Returns the keyword of the next action; empty if it has none. */
  private String keyword() {
    int word = at + 1;
    while (tokens.get(word).kind() == Kind.SPACE) {
      word++;
    }
    Token token = tokens.get(word);
    boolean is =
        token.kind() == Kind.WORD
            && (KEYWORDS.contains(token.text()) || NOT_SUPPORTED.contains(token.text()));
    return is ? token.text() : "";
  }

  private Statement action(String keyword) throws TemplateException {
    Token left = next();
    if (keyword.isEmpty()) {
      int start = peekWord().start();
      Pipe pipe = pipe("command");
      expectRight("command");
      return new Node.Action(pipe, start);
    }
    Token word = nextWord();
    return switch (keyword) {
      case "if" -> branch(BranchKind.IF, word);
      case "with" -> branch(BranchKind.WITH, word);
      case "range" -> branch(BranchKind.RANGE, word);
      case "break", "continue" -> {
        if (ranges == 0) {
          throw wrong(word, "{{%s}} outside {{range}}".formatted(keyword));
        }
        expectRight("{{" + keyword + "}}");
        yield new Node.Jump(keyword.equals("break"), left.start());
      }
      default ->
          throw wrong(
              word,
              "{{%s}} is not supported in the templates of rules; write the text where it is used"
                  .formatted(keyword));
    };
  }

  private Node.Branch branch(BranchKind kind, Token word) throws TemplateException {
    deeper(word);
    int known = variables.size();
    String name = word.text();
    Pipe pipe = pipe(name);
    expectRight(name);
    ranges += kind == BranchKind.RANGE ? 1 : 0;
    List<Statement> body = body();
    ranges -= kind == BranchKind.RANGE ? 1 : 0;
    List<Statement> otherwise = List.of();
    if (keywordOrEnd(word).equals("else")) {
      otherwise = otherwise(kind, name);
    } else {
      skipAction();
    }
    variables.subList(known, variables.size()).clear();
    depth--;
    return new Node.Branch(kind, pipe, body, otherwise, pipe.start());
  }

  /**
   * Parses what follows an {@code else}. {@code else if} and {@code else with} share the end of the
   * block.
   */
  private List<Statement> otherwise(BranchKind kind, String name) throws TemplateException {
    at++;
    nextWord();
    Token following = peekWord();
    boolean chained =
        following.kind() == Kind.WORD && following.text().equals(name) && kind != BranchKind.RANGE;
    if (chained) {
      at = indexOfWord() + 1;
      return List.of(branch(kind, following));
    }
    expectRight("else");
    List<Statement> body = body();
    if (!keywordOrEnd(following).equals("end")) {
      throw wrong(peek(), "expected end; found {{else}}");
    }
    skipAction();
    return body;
  }

  private String keywordOrEnd(Token of) throws TemplateException {
    if (peek().kind() == Kind.END) {
      throw wrong(of, "unexpected EOF");
    }
    return keyword();
  }

  /** Skips an action of one word. */
  private void skipAction() throws TemplateException {
    at++;
    String word = nextWord().text();
    expectRight("{{" + word + "}}");
  }

  private void deeper(Token token) throws TemplateException {
    if (++depth > DEPTH_MAX) {
      throw wrong(token, "nested more than %d levels deep".formatted(DEPTH_MAX));
    }
  }

  private Pipe pipe(String context) throws TemplateException {
    int start = peekWord().start();
    List<String> names = new ArrayList<>();
    boolean declares = variablesBefore(context, names);
    List<Command> commands = new ArrayList<>();
    while (true) {
      Token token = peekWord();
      if (token.kind() == Kind.RIGHT || token.kind() == Kind.RIGHT_PAREN) {
        if (commands.isEmpty()) {
          throw wrong(token, "missing value for " + context);
        }
        check(commands);
        return new Pipe(names, declares, commands, start);
      }
      commands.add(command());
    }
  }

  /** Parses {@code $x :=}, {@code $x =} or {@code $i, $x :=} if present. */
  private boolean variablesBefore(String context, List<String> names) throws TemplateException {
    int before = at;
    Token first = peekWord();
    if (first.kind() != Kind.VARIABLE) {
      return false;
    }
    nextWord();
    Token following = peekWord();
    names.add(first.text());
    if (following.kind() == Kind.COMMA && context.equals("range")) {
      nextWord();
      Token second = nextWord();
      if (second.kind() != Kind.VARIABLE) {
        throw wrong(second, "range can only initialize variables");
      }
      names.add(second.text());
      following = peekWord();
      if (following.kind() == Kind.COMMA) {
        throw wrong(following, "too many declarations in range");
      }
    }
    boolean declares = following.kind() == Kind.DECLARE;
    if (!declares && following.kind() != Kind.ASSIGN) {
      if (names.size() > 1) {
        throw wrong(following, "range can only initialize variables");
      }
      names.clear();
      at = before;
      return false;
    }
    nextWord();
    for (String name : names) {
      if (declares) {
        variables.add(name);
      } else if (!variables.contains(name)) {
        throw wrong(first, "undefined variable \"" + name + "\"");
      }
    }
    return declares;
  }

  /** Checks that only functions receive piped values. */
  private void check(List<Command> commands) throws TemplateException {
    for (int i = 1; i < commands.size(); i++) {
      Operand first = commands.get(i).operands().getFirst();
      if (first instanceof Node.Constant
          || first instanceof Node.Dot
          || first instanceof Node.Nil) {
        throw source.wrong(first.start(), "non executable command in pipeline stage " + (i + 1));
      }
    }
  }

  private Command command() throws TemplateException {
    int start = peekWord().start();
    List<Operand> operands = new ArrayList<>();
    while (true) {
      peekWord();
      at = indexOfWord();
      operands.add(operand());
      Token following = next();
      switch (following.kind()) {
        case SPACE -> {
          Token word = peekWord();
          if (word.kind() == Kind.PIPE) {
            nextWord();
            return new Command(operands, start);
          }
          if (word.kind() == Kind.RIGHT || word.kind() == Kind.RIGHT_PAREN) {
            return new Command(operands, start);
          }
        }
        case RIGHT, RIGHT_PAREN -> {
          at--;
          return new Command(operands, start);
        }
        case PIPE -> {
          return new Command(operands, start);
        }
        default -> throw wrong(following, "unexpected %s in operand".formatted(following.shown()));
      }
    }
  }

  private Operand operand() throws TemplateException {
    Operand term = term();
    // Go reports the position of a chain from its second link.
    int start = peek().start();
    List<String> names = new ArrayList<>();
    while (peek().kind() == Kind.FIELD) {
      names.add(next().text().substring(1));
    }
    if (names.isEmpty()) {
      return term;
    }
    return switch (term) {
      case Node.Constant constant ->
          throw source.wrong(
              term.start(), "unexpected . after term " + Quoting.quoted(constant.shown()));
      case Node.Nil nil -> throw source.wrong(term.start(), "unexpected . after term \"nil\"");
      case Node.Fields fields when fields.of() == null -> {
        List<String> all = new ArrayList<>(fields.names());
        all.addAll(names);
        yield new Node.Fields(null, all, start);
      }
      case Node.Pipe _, Node.Function _, Node.Dot _, Node.Fields _, Node.Variable _ ->
          new Node.Fields(term, names, start);
    };
  }

  private Operand term() throws TemplateException {
    Token token = next();
    int start = token.start();
    return switch (token.kind()) {
      case WORD -> word(token);
      case DOT -> new Node.Dot(start);
      case FIELD -> new Node.Fields(null, List.of(token.text().substring(1)), start);
      case VARIABLE -> {
        if (!variables.contains(token.text())) {
          throw wrong(token, "undefined variable \"" + token.text() + "\"");
        }
        yield new Node.Variable(token.text(), start);
      }
      case NUMBER -> {
        Object number = Numeral.read(token.text());
        if (number == null) {
          throw wrong(token, "bad number syntax: \"" + token.text() + "\"");
        }
        yield new Node.Constant(number, token.text(), start);
      }
      case CHARACTER -> {
        String text = unquoted(token);
        if (text.isEmpty()) {
          throw wrong(token, "invalid syntax");
        }
        if (text.codePointCount(0, text.length()) != 1) {
          throw wrong(token, "malformed character constant: " + token.text());
        }
        yield new Node.Constant((long) text.codePointAt(0), token.text(), start);
      }
      case STRING -> new Node.Constant(unquoted(token), token.text(), start);
      case LEFT_PAREN -> {
        deeper(token);
        Pipe pipe = pipe("parenthesized pipeline");
        Token right = nextWord();
        if (right.kind() != Kind.RIGHT_PAREN) {
          throw wrong(right, "unclosed left paren");
        }
        depth--;
        yield pipe;
      }
      default -> throw wrong(token, "unexpected %s in operand".formatted(token.shown()));
    };
  }

  private Operand word(Token token) throws TemplateException {
    String word = token.text();
    int start = token.start();
    return switch (word) {
      case "true" -> new Node.Constant(true, word, start);
      case "false" -> new Node.Constant(false, word, start);
      case "nil" -> new Node.Nil(start);
      default -> {
        if (Functions.NOT_SUPPORTED.containsKey(word)) {
          throw wrong(
              token,
              "function \"%s\" is not supported: %s"
                  .formatted(word, Functions.NOT_SUPPORTED.get(word)));
        }
        if (!Functions.NAMES.contains(word)) {
          throw wrong(token, "function \"" + word + "\" not defined");
        }
        yield new Node.Function(word, start);
      }
    };
  }

  private String unquoted(Token token) throws TemplateException {
    try {
      return GoText.unquoted(token.text());
    } catch (IllegalArgumentException e) {
      throw wrong(token, "invalid syntax");
    }
  }

  private Token peek() {
    return tokens.get(at);
  }

  private Token next() {
    return tokens.get(at++);
  }

  private int indexOfWord() {
    int word = at;
    while (tokens.get(word).kind() == Kind.SPACE) {
      word++;
    }
    return word;
  }

  private Token peekWord() {
    return tokens.get(indexOfWord());
  }

  private Token nextWord() {
    at = indexOfWord();
    return next();
  }

  private void expectRight(String context) throws TemplateException {
    Token token = nextWord();
    if (token.kind() != Kind.RIGHT) {
      throw wrong(token, "unexpected %s in %s".formatted(token.shown(), context));
    }
  }

  private TemplateException wrong(Token token, String problem) {
    return source.wrong(token.start(), problem);
  }
}
