package dev.varve.layout.declared;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an invalid declaration. The message lists all faults, one per line. */
public final class DeclarationException extends IllegalArgumentException implements KnownError {
  private static final long serialVersionUID = 1;

  private final transient List<Fault> faults;

  DeclarationException(String subject, List<Fault> faults) {
    super(
        faults.stream()
            .map(fault ->
                fault.path().isEmpty()
                    ? subject + ": " + fault.message()
                    : subject + ": " + fault.path() + ": " + fault.message())
            .collect(Collectors.joining("\n")));
    this.faults = List.copyOf(faults);
  }

  public List<Fault> faults() {
    return faults;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
