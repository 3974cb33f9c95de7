/** The exact number of matches, and the documents of the page in order. */
record Answer(int totalCount, int[] documents) {}
