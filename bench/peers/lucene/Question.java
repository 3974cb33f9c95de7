import java.util.ArrayList;
import java.util.List;

/** What is asked: one term, or one token of each group and none of the others. */
final class Question {
  final int offset;
  final int limit;
  final String order;
  final List<String[]> groups = new ArrayList<>();
  final List<String> without = new ArrayList<>();
  /** Null unless one term is looked up. */
  String term;
  boolean isUsual;

  Question(int offset, int limit, String order) {
    this.offset = offset;
    this.limit = limit;
    this.order = order;
  }
}
