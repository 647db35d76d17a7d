package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * In which order a comparison puts its questions. Every round puts all of them, one rival after the
 * other, another one first in each, so that what disturbs the machine for a while disturbs all.
 */
final class Plan {

  /**
   * What servers stand for: one of a kind at a distance.
   *
   * @param kind the kind
   * @param roundTripMicros the distance
   */
  record Place(ServerKind kind, int roundTripMicros) {

    static Place of(Question question) {
      return new Place(question.server(), question.roundTripMicros());
    }
  }

  /**
   * A question for one rival.
   *
   * @param question the question
   * @param contender the rival
   * @param timing how long it is measured
   */
  record Step(Question question, Contender contender, Timing timing) {

    long millis() {
      return timing.millis() + CONNECT_MILLIS;
    }
  }

  /**
   * What one JVM answers in turn.
   *
   * @param place what its clients are connected to
   * @param virtual whether it has to have virtual threads
   * @param steps questions, at least one, all to one client
   */
  record Sitting(Place place, boolean virtual, List<Step> steps) {

    long millis() {
      return STARTUP_MILLIS + steps.stream().mapToLong(Step::millis).sum();
    }
  }

  /** Questions that a JVM may answer in turn: alike in what is called, where, and by how many. */
  private record Kind(Place place, boolean virtual, String benchmark, boolean crowd) {

    static Kind of(Question question) {
      return new Kind(
          Place.of(question), question.virtual(), question.benchmark(), question.isForCrowd());
    }
  }

  /** To start a JVM, as measured on two cores. */
  static final long STARTUP_MILLIS = 900;

  /** To connect, to end an answer, and for what JMH does between them. */
  private static final long CONNECT_MILLIS = 400;

  private final List<Question> questions;
  private final Scope scope;

  Plan(List<Question> questions, Scope scope) {
    this.questions = questions;
    this.scope = scope;
  }

  /** What servers are needed. */
  Set<Place> places() {
    Set<Place> places = new LinkedHashSet<>();
    questions.forEach(question -> places.add(Place.of(question)));
    return places;
  }

  /** What happens in one round. */
  List<Sitting> round(int round) {
    List<Sitting> sittings = new ArrayList<>();
    for (List<Question> alike : kinds()) {
      List<Sitting> together = scope.sharesJvms() ? byClient(alike) : eachAlone(alike);
      for (int i = 0; i < together.size(); i++) {
        sittings.add(together.get((i + round) % together.size()));
      }
    }
    return sittings;
  }

  private List<List<Question>> kinds() {
    if (!scope.sharesJvms()) {
      return questions.stream().map(List::of).toList();
    }
    Map<Kind, List<Question>> kinds = new LinkedHashMap<>();
    questions.forEach(
        question -> kinds.computeIfAbsent(Kind.of(question), k -> new ArrayList<>()).add(question));
    return List.copyOf(kinds.values());
  }

  private List<Sitting> byClient(List<Question> alike) {
    Map<Client, List<Step>> steps = new LinkedHashMap<>();
    for (Question question : alike) {
      for (Contender contender : question.contenders()) {
        List<Step> before = steps.computeIfAbsent(contender.client(), c -> new ArrayList<>());
        before.add(new Step(question, contender, timing(question, before.isEmpty())));
      }
    }
    Question any = alike.get(0);
    return steps.values().stream()
        .map(each -> new Sitting(Place.of(any), any.virtual(), each))
        .toList();
  }

  private List<Sitting> eachAlone(List<Question> alike) {
    List<Sitting> sittings = new ArrayList<>();
    for (Question question : alike) {
      for (Contender contender : question.contenders()) {
        Step step = new Step(question, contender, timing(question, true));
        sittings.add(new Sitting(Place.of(question), question.virtual(), List.of(step)));
      }
    }
    return sittings;
  }

  private Timing timing(Question question, boolean first) {
    return Timing.of(scope, question.isForCrowd(), first);
  }

  /** How long one round takes, about. */
  long millisOfRound() {
    return round(0).stream().mapToLong(Sitting::millis).sum();
  }
}
