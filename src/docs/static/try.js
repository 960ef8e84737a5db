// @ts-check
/* The page for trying API calls: Swagger UI with the OpenAPI document of this service. It calls no other host. */

const element = document.querySelector("#swagger-ui");

// @ts-expect-error the bundle's script, which is loaded first, sets it
globalThis.SwaggerUIBundle({
  domNode: element,
  url: element instanceof HTMLElement ? element.dataset.document : undefined,
  validatorUrl: null,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  persistAuthorization: false,
  // Swagger UI colours code for a dark background. Even there the colours are too pale to read.
  syntaxHighlight: false,
});

/** Adds labels, landmarks and keyboard stops to Swagger UI, which lacks them for screen readers and keyboards. */
function mend() {
  for (const select of element?.querySelectorAll("select:not([aria-label])") ?? []) {
    select.setAttribute("aria-label", select.closest(".servers") ? "Server" : "Value");
  }
  for (const servers of element?.querySelectorAll(".scheme-container:not([role])") ?? []) {
    servers.setAttribute("role", "region");
    servers.setAttribute("aria-label", "Server and key");
  }
  for (const code of element?.querySelectorAll("pre:not([tabindex])") ?? []) {
    code.setAttribute("tabindex", "0");
  }
}

if (element) {
  new MutationObserver(mend).observe(element, { childList: true, subtree: true });
}
