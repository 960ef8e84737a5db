/** The binding with every statement replaced by the question how SQLite would run it. */
export function explainingD1(inner: D1Database): D1Database {
  return new Proxy(inner, {
    get: (target, name) =>
      name === "prepare"
        ? (sql: string) => target.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        : Reflect.get(target, name, target),
  });
}

/** The steps of the plans that read a whole table or index, or sort; subqueries, pages and JSON are read whole, because they are handed in. */
export function costlySteps(plans: readonly D1Result[]): string[] {
  return plans
    .flatMap(({ results }) => results as { readonly detail: string }[])
    .map(({ detail }) => detail)
    .filter((detail) => /^SCAN (?!(?:CONSTANT ROW|json_each|j VIRTUAL|\(subquery|page$))|TEMP B-TREE/.test(detail));
}
