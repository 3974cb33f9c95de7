import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Lucene as a peer of `bench search`. It indexes a keyword file, then answers one question per line of standard input until that
 * ends. The time in an answer begins when the question is parsed and ends before the answer is printed, so that neither
 * the start of the JVM nor the pipe counts.
 *
 * <p>A question, its fields separated by tabs: way, offset, limit, order, and what must match.
 * <ul>
 *   <li>The way is `best` or `usual`, as KeywordSearch describes them.
 *   <li>The order is `match WORDS`, or a column and its direction, such as `avg_rank ASC`.
 *   <li>A match is `=TERM`, or any number of `+TOKEN TOKEN` (one of them) and `-TOKEN` (none of them).
 * </ul>
 * An answer: total, nanoseconds, and the page's documents separated by spaces.
 */
public final class LucenePeer {
  private static final int FIRST_MATCH_FIELD = 4;

  public static void main(String[] arguments) throws IOException {
    Path keywordFile = Path.of(arguments[0]);
    Path directory = Path.of(arguments[1]);
    int periodCount = Integer.parseInt(arguments[2]);
    KeywordIndex.build(keywordFile, directory, periodCount);
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (KeywordSearch search = new KeywordSearch(directory)) {
      out.println("ready");
      out.flush();
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        Question question = parse(line);
        long startNs = System.nanoTime();
        Answer answer = search.answer(question);
        long tookNs = System.nanoTime() - startNs;
        out.println(present(answer, tookNs));
        out.flush();
      }
    }
  }

  private static Question parse(String line) {
    String[] fields = line.split("\t");
    Question question = new Question(Integer.parseInt(fields[1]), Integer.parseInt(fields[2]), fields[3]);
    question.isUsual = fields[0].equals("usual");
    for (int i = FIRST_MATCH_FIELD; i < fields.length; i += 1) {
      String text = fields[i].substring(1);
      switch (fields[i].charAt(0)) {
        case '=' -> question.term = text;
        case '+' -> question.groups.add(text.split(" "));
        case '-' -> question.without.add(text);
        default -> throw new IllegalArgumentException("not a match: " + fields[i]);
      }
    }
    return question;
  }

  private static String present(Answer answer, long tookNs) {
    StringBuilder text = new StringBuilder();
    text.append(answer.totalCount()).append('\t').append(tookNs).append('\t');
    for (int i = 0; i < answer.documents().length; i += 1) {
      if (i > 0) text.append(' ');
      text.append(answer.documents()[i]);
    }
    return text.toString();
  }
}
