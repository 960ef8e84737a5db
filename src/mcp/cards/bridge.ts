/** The content type of a card for MCP hosts: https://github.com/modelcontextprotocol/ext-apps (2026-01-26). */
export const CARD_TYPE = "text/html;profile=mcp-app";

/** The script of every card: it exchanges messages with the host. Each card adds its own function `show`. */
const BRIDGE = `let n=0;const w={},P=m=>parent.postMessage({jsonrpc:"2.0",...m},"*"),
ask=(method,params)=>new Promise((r,j)=>{w[++n]=[r,j];P({id:n,method,params})}),
tell=(method,params)=>P({method,params}),
size=()=>tell("ui/notifications/size-changed",{width:document.body.scrollWidth,height:document.body.scrollHeight}),
add=(to,tag,text,cls)=>{const e=document.createElement(tag);if(text!=null)e.textContent=text;if(cls)e.className=cls;return to.appendChild(e)},
clock=(t,z,o)=>new Intl.DateTimeFormat("en-GB",{...o,timeZone:z}).format(new Date(t)),
theme=c=>{if(c&&c.theme)document.documentElement.style.colorScheme=c.theme};
addEventListener("message",({source,data:m})=>{if(source!==parent||!m||m.jsonrpc!=="2.0")return;
if(!m.method){const h=w[m.id];delete w[m.id];h&&(m.error?h[1](m.error):h[0](m.result))}
else if(m.method==="ui/notifications/tool-result"){show(m.params||{});size()}
else if(m.method==="ui/notifications/host-context-changed")theme(m.params);
else if(m.id!=null)P(m.method==="ping"||m.method==="ui/resource-teardown"?{id:m.id,result:{}}:{id:m.id,error:{code:-32601,message:"unknown"}})});
new ResizeObserver(size).observe(document.body);
ask("ui/initialize",{protocolVersion:"2026-01-26",appInfo:{name:"almanac",version:"1"},appCapabilities:{}}).then(r=>{theme(r&&r.hostContext);tell("ui/notifications/initialized",{})})`;

const STYLE = `:root{color-scheme:light dark;font:14px/1.4 system-ui,sans-serif}body{margin:0;padding:12px;background:Canvas;color:CanvasText}
h1{font-size:16px;margin:0 0 8px}h2{font-size:14px;margin:12px 0 4px}p{margin:4px 0;white-space:pre-wrap;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0}li{border-top:1px solid;padding:6px 0}`;

/**
 * Makes the page of a card, which a host shows in a frame where only scripts are allowed. Data are inserted only as
 * text, never as HTML.
 */
export function cardPage({ title, style, script }: { title: string; style: string; script: string }): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}${style}</style><main id="m"><h1>${title}</h1></main><script>const M=document.getElementById("m");${script}
${BRIDGE}</script></html>`;
}
