import { codeBlock, inlineCode, table } from "#docs/markdown/markdown.ts";
import type { DocsPage } from "#docs/page.ts";
import { createAnchors } from "#docs/markdown/render-markdown.ts";
import { type ApiDocument, nameOf, operationsOf, type Schema } from "./document.ts";
import { operationMarkdown, type ReferenceLinks } from "./operation-markdown.ts";
import { describeSchema, schemaMarkdown } from "./schema-markdown.ts";

const SECTION = "Reference";
const ORDER = 250;

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const anchorOf = (heading: string): string => createAnchors()(heading);

type PageText = Pick<DocsPage, "title" | "description" | "markdown">;

const firstSentence = (text: string): string => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;

function schemasPage({ components }: ApiDocument, links: ReferenceLinks): PageText {
  const names = Object.keys(components.schemas).toSorted();
  return {
    title: "Schemas",
    description: "Every named part of requests and answers.",
    markdown: table(
      ["Schema", "What it is"],
      names.map((name) => [
        `[${name}](${links.schema(name)})`,
        firstSentence(describeSchema(components.schemas[name] ?? {}).split("\n")[0] ?? ""),
      ]),
    ),
  };
}

function schemaPage(name: string, schema: Schema, links: ReferenceLinks): PageText {
  const text = describeSchema(schema);
  return {
    title: name,
    description: "A named part of requests and answers.",
    markdown: `${text === "" ? "" : `${text}\n\n`}${schemaMarkdown(schema, links.schema)}`,
  };
}

function groupPage(
  document: ApiDocument,
  { name, description: purpose }: ApiDocument["tags"][number],
  docsUrl: string,
): PageText {
  return {
    title: `${capitalize(name)}: operations`,
    description: purpose,
    markdown: table(
      ["Operation", "Call", "What it does"],
      operationsOf(document, name).map(({ method, path, operation: { summary, operationId, description = "" } }) => [
        `[${summary}](${docsUrl}/reference/${name}/${operationId})`,
        inlineCode(`${method} ${path}`),
        firstSentence(description),
      ]),
    ),
  };
}

function eventsPage(document: ApiDocument, links: ReferenceLinks): PageText {
  const sections = Object.entries(document.webhooks).flatMap(([type, methods]) =>
    Object.values(methods).map(({ summary, description, requestBody }) => {
      const { schema, example } = requestBody?.content["application/json"] ?? {};
      const named =
        schema?.$ref === undefined ? "" : `Body: [${nameOf(schema.$ref)}](${links.schema(nameOf(schema.$ref))})\n`;
      return [
        `## ${type}\n`,
        `${description ?? summary}\n`,
        named,
        ...(example === undefined ? [] : [codeBlock("json", JSON.stringify(example, null, 2))]),
      ].join("\n");
    }),
  );
  return {
    title: "Event bodies",
    description: "Every event that is sent to webhooks and listed, with an example.",
    markdown: sections.join("\n"),
  };
}

function overview(document: ApiDocument, docsUrl: string): PageText {
  const groups = document.tags.map(({ name, description }) => {
    const rows = operationsOf(document, name).map(({ method, path, operation }) => [
      inlineCode(`${method} ${path}`),
      `[${operation.summary}](${docsUrl}/reference/${name}/${operation.operationId})`,
    ]);
    return `## ${capitalize(name)}\n\n${description}\n\n${table(["Call", "What it does"], rows)}`;
  });
  return {
    title: "API reference",
    description: "Every operation of the HTTP API, from the document that the service serves.",
    markdown: `${document.info.description.replaceAll(/^#/gm, "###")}

The document itself: [openapi.json](${document.servers[0]?.url ?? ""}/openapi.json). Calls can be [tried in the browser](${docsUrl}/try).

${groups.join("\n")}`,
  };
}

/** Makes the pages of the API reference: one for each operation and schema, their lists, and one for events. */
export function referencePages(document: ApiDocument, docsUrl: string): DocsPage[] {
  const links: ReferenceLinks = {
    schema: (name) => `${docsUrl}/reference/schemas/${name}`,
    errorCode: (code) => `${docsUrl}/error-codes#${anchorOf(code)}`,
  };
  const place = (path: string, after: number) => ({ path, section: SECTION, order: ORDER + after });
  return [
    { ...place("reference", 0), ...overview(document, docsUrl) },
    ...document.tags.flatMap((tag) => [
      { ...place(`reference/${tag.name}`, 1), ...groupPage(document, tag, docsUrl) },
      ...operationsOf(document, tag.name).map((placed) => ({
        ...place(`reference/${tag.name}/${placed.operation.operationId}`, 1),
        title: placed.operation.summary,
        description: `${placed.method} ${placed.path}`,
        markdown: operationMarkdown(document, placed, links),
      })),
    ]),
    { ...place("reference/schemas", 2), ...schemasPage(document, links) },
    ...Object.entries(document.components.schemas)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => ({ ...place(`reference/schemas/${name}`, 2), ...schemaPage(name, schema, links) })),
    { ...place("reference/event-bodies", 2), ...eventsPage(document, links) },
  ];
}
