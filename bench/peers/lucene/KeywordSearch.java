import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollector;
import org.apache.lucene.store.MMapDirectory;

/**
 * Questions in two ways. The best that we know: totals are counted apart, which costs nothing for one token, because its posting
 * list says how long it is; so the search for the page stops as soon as the page is certain. And the usual way: one search by one sort,
 * which counts every match.
 */
final class KeywordSearch implements AutoCloseable {
  private final MMapDirectory directory;
  private final DirectoryReader reader;
  private final IndexSearcher searcher;

  KeywordSearch(Path path) throws IOException {
    directory = new MMapDirectory(path);
    directory.setPreload(true);
    reader = DirectoryReader.open(directory);
    searcher = new IndexSearcher(reader);
    // The same questions come again and again here. Without this most of them would be answered by what was kept from the last time.
    searcher.setQueryCache(null);
  }

  @Override
  public void close() throws IOException {
    reader.close();
    directory.close();
  }

  Answer answer(Question question) throws IOException {
    return question.isUsual ? answerAtOnce(question) : new Answer(count(question), findPage(question));
  }

  private Answer answerAtOnce(Question question) throws IOException {
    Query query =
        question.term == null ? matching(question.groups, question.without) : token("term", question.term);
    Sort sort = new Sort(SortField.FIELD_DOC);
    if (question.order.startsWith("match ")) {
      query = scored(question, question.order.substring(6));
      sort = new Sort(SortField.FIELD_SCORE, SortField.FIELD_DOC);
    } else if (!question.order.equals("latest_period DESC")) {
      sort = new Sort(columnOf(question), new SortField(KeywordIndex.TIE, SortField.Type.INT));
    }
    TopFieldCollector collector = TopFieldCollector.create(sort, endOf(question), Integer.MAX_VALUE);
    searcher.search(query, collector);
    return new Answer(collector.getTotalHits(), pageOf(question, collector));
  }

  /** The tiers of `best_match` as scores: 3 for all words, 2 at the start, 1 side by side, 0 for others. */
  private static Query scored(Question question, String words) {
    BooleanQuery.Builder builder = filtered(question.groups, question.without);
    builder.add(new BoostQuery(new ConstantScoreQuery(token("all", words)), 2), Occur.SHOULD);
    builder.add(new ConstantScoreQuery(token("start", words)), Occur.SHOULD);
    builder.add(new ConstantScoreQuery(token("run", words)), Occur.SHOULD);
    return builder.build();
  }

  private int count(Question question) throws IOException {
    if (question.term != null) return searcher.count(token("term", question.term));
    Query wanted = matching(question.groups, List.of());
    if (question.without.isEmpty()) return searcher.count(wanted);
    BooleanQuery.Builder unwanted = new BooleanQuery.Builder().add(wanted, Occur.FILTER);
    unwanted.add(group(question.without.toArray(String[]::new)), Occur.FILTER);
    return searcher.count(wanted) - searcher.count(unwanted.build());
  }

  private int[] findPage(Question question) throws IOException {
    Query query =
        question.term == null ? matching(question.groups, question.without) : token("term", question.term);
    // The newest period first is the order of the index.
    if (question.order.equals("latest_period DESC")) return firstIn(question, query);
    if (question.order.startsWith("match ")) return firstIn(question, tiers(question, question.order.substring(6)));
    return sorted(question, query);
  }

  /** The keywords that are the words, that start with them, that have them side by side, and all others. */
  private static Query[] tiers(Question question, String words) {
    List<String> single = Arrays.asList(words.split(" "));
    if (single.size() > KeywordIndex.MAX_RUN_WORDS) throw new IllegalArgumentException("too many words: " + words);
    // Whoever has the words side by side has each of them.
    List<String[]> rest =
        question.groups.stream().filter((group) -> group.length > 1 || !single.contains(group[0])).toList();
    BooleanQuery.Builder inside = filtered(rest, question.without).add(token("run", words), Occur.FILTER);
    for (String field : new String[] {"all", "start"}) inside.add(token(field, words), Occur.MUST_NOT);
    BooleanQuery.Builder others = filtered(question.groups, question.without);
    others.add(token("run", words), Occur.MUST_NOT);
    return new Query[] {
      filtered(rest, question.without).add(token("all", words), Occur.FILTER).build(),
      filtered(rest, question.without).add(token("start", words), Occur.FILTER).build(),
      inside.build(),
      others.build()
    };
  }

  /** The page of one query after the other, each in index order. */
  private int[] firstIn(Question question, Query... queries) throws IOException {
    PageCollector page = new PageCollector(question.offset, question.limit);
    for (Query query : queries) {
      if (!page.isFull()) searcher.search(query, page);
    }
    return page.documents();
  }

  private int[] sorted(Question question, Query query) throws IOException {
    SortField column = columnOf(question);
    column.setCanUsePoints();
    Sort sort = new Sort(column, new SortField(KeywordIndex.TIE, SortField.Type.INT));
    TopFieldCollector collector = TopFieldCollector.create(sort, endOf(question), endOf(question));
    searcher.search(query, collector);
    return pageOf(question, collector);
  }

  private static SortField columnOf(Question question) {
    String[] order = question.order.split(" ");
    boolean isDescending = order[1].equals("DESC");
    SortField column = new SortField(order[0], SortField.Type.INT, isDescending);
    column.setMissingValue(isDescending ? Integer.MIN_VALUE : Integer.MAX_VALUE);
    return column;
  }

  private int endOf(Question question) {
    return Math.min(question.offset + question.limit, reader.maxDoc());
  }

  private static int[] pageOf(Question question, TopFieldCollector collector) {
    ScoreDoc[] found = collector.topDocs(question.offset, question.limit).scoreDocs;
    return Arrays.stream(found).mapToInt((each) -> each.doc).toArray();
  }

  private static Query matching(List<String[]> groups, List<String> without) {
    if (groups.size() == 1 && without.isEmpty()) return group(groups.get(0));
    return filtered(groups, without).build();
  }

  private static BooleanQuery.Builder filtered(List<String[]> groups, List<String> without) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (String[] group : groups) builder.add(group(group), Occur.FILTER);
    for (String each : without) builder.add(token("token", each), Occur.MUST_NOT);
    return builder;
  }

  private static Query group(String[] tokens) {
    if (tokens.length == 1) return token("token", tokens[0]);
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (String each : tokens) builder.add(token("token", each), Occur.SHOULD);
    return builder.build();
  }

  private static Query token(String field, String text) {
    return new TermQuery(new Term(field, text));
  }
}
