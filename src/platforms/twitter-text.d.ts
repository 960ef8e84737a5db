/** Types for the functions of `twitter-text` that the adapter uses, because the library has none. */
declare module "twitter-text" {
  interface UrlEntity {
    readonly url: string;
    readonly indices: readonly [number, number];
  }
  const twitter: {
    parseTweet(text: string): { readonly weightedLength: number };
    extractUrlsWithIndices(
      text: string,
      options?: { readonly extractUrlsWithoutProtocol: boolean },
    ): readonly UrlEntity[];
    extractCashtags(text: string): readonly string[];
    hasInvalidCharacters(text: string): boolean;
  };
  export default twitter;
}
