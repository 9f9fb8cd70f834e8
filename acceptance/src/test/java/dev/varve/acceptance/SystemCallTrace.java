package dev.varve.acceptance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A strace of a server: writes to files and sockets, reads of requests, and syncs, each with the
 * lines at which it began and ended.
 */
final class SystemCallTrace {
  /*
   * A line is "PID TIME call(FD<PATH>, ...) = RESULT". Where another thread comes between, it is
   * "PID TIME call(FD<PATH> <unfinished ...>", and later "PID TIME <... call resumed>...) = RESULT".
   */
  private static final Pattern CALL = Pattern.compile("(\\d+) +(\\w+)\\((\\d+)<([^>]*)>(.*)");
  private static final Pattern RESUMED = Pattern.compile("(\\d+) +<\\.\\.\\. (\\w+) resumed>(.*)");
  private static final Pattern RESULT = Pattern.compile(".*\\) += (-?\\d+)(?: .*)?");

  /**
   * One system call.
   *
   * @param file path or socket
   * @param text rest of the line: the bytes read or written
   * @param began line of the call
   * @param ended line of its return, or the end of the trace
   * @param failed whether its result was negative
   */
  private record Call(String name, String file, String text, int began, int ended, boolean failed) {
    private boolean isSync() {
      return (name.equals("fdatasync") || name.equals("fsync")) && !failed;
    }

    private boolean isWrite() {
      return name.startsWith("write") || name.startsWith("pwrite") || name.startsWith("send");
    }

    private boolean isLog() {
      return file.endsWith(".log");
    }

    private boolean isSuccess() {
      return isWrite() && text.contains("HTTP/1.1 20");
    }
  }

  private final List<Call> calls;

  private SystemCallTrace(List<Call> calls) {
    this.calls = calls;
  }

  /** Returns the command that runs another one and traces it to a file. */
  static String[] command(Path file) {
    return new String[] {
      "strace",
      "-f",
      "--seccomp-bpf",
      "-y",
      "-qq",
      "-s",
      "65536",
      "-o",
      file.toString(),
      "-e",
      "trace=read,recvfrom,write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync"
    };
  }

  static SystemCallTrace parse(List<String> lines) {
    List<Call> calls = new ArrayList<>();
    Map<String, Call> unfinished = new HashMap<>();
    for (int line = 0; line < lines.size(); line++) {
      Matcher call = CALL.matcher(lines.get(line));
      Matcher resumed = RESUMED.matcher(lines.get(line));
      if (call.matches()) {
        String rest = call.group(5);
        boolean whole = !rest.endsWith("<unfinished ...>");
        Call began =
            new Call(
                call.group(2),
                call.group(4),
                rest,
                line,
                whole ? line : lines.size(),
                isFailed(rest));
        if (whole) {
          calls.add(began);
        } else {
          unfinished.put(call.group(1), began);
        }
      } else if (resumed.matches()) {
        Call began = unfinished.remove(resumed.group(1));
        if (began != null) {
          String rest = resumed.group(3);
          calls.add(
              new Call(
                  began.name(),
                  began.file(),
                  began.text() + rest,
                  began.began(),
                  line,
                  isFailed(rest)));
        }
      }
    }
    calls.addAll(unfinished.values());
    return new SystemCallTrace(calls);
  }

  private static boolean isFailed(String rest) {
    Matcher result = RESULT.matcher(rest);
    return result.matches() && result.group(1).startsWith("-");
  }

  /**
   * Checks that the answer to the request with a marker was sent after the marker was written to a
   * log and the log was synced.
   */
  String verdict(String marker) {
    Call request = first(call -> !call.isWrite() && call.text().contains(marker), 0);
    if (request == null) {
      return "the request was not seen";
    }
    Call answer =
        first(call -> call.isSuccess() && call.file().equals(request.file()), request.ended());
    if (answer == null) {
      return "no answer of success was seen";
    }
    Call logged =
        first(
            call -> call.isWrite() && call.isLog() && call.text().contains(marker),
            request.began());
    if (logged == null) {
      return "the data was not seen in a log";
    }
    Call synced = first(call -> call.isSync() && call.file().equals(logged.file()), logged.ended());
    if (synced == null) {
      return "the log was not synced";
    }
    return synced.ended() < answer.began()
        ? "synced before it was answered"
        : "answered at line " + answer.began() + ", synced at line " + synced.ended();
  }

  private interface Condition {
    boolean holds(Call call);
  }

  /** Returns the first call that began at a line or later and fulfils a condition. */
  private @Nullable Call first(Condition condition, int from) {
    Call first = null;
    for (Call call : calls) {
      if (call.began() >= from
          && condition.holds(call)
          && (first == null || call.began() < first.began())) {
        first = call;
      }
    }
    return first;
  }
}
