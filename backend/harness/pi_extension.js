// What Parley adds to Pi: it asks before a tool runs that may change something, and it brings Parley's own tools.
// It says that it is there by the status "parley", which is Pi's version; Parley does not let Pi work without.
import { request } from "node:http";
import { VERSION } from "@earendil-works/pi-coding-agent";

export default async function (pi) {
	const key = take("PARLEY_KEY");
	if (key) pi.registerProvider("parley", { apiKey: literal(key) });

	const silent = new Set(["read", "grep", "find", "ls"]); // they only read
	const url = take("PARLEY_TOOLS_URL");
	if (url) {
		const server = { url, token: take("PARLEY_TOOLS_TOKEN") };
		await ask(server, "initialize", { protocolVersion: version, capabilities: {}, clientInfo: { name: "pi", version: VERSION } });
		await ask(server, "notifications/initialized");
		for (const tool of (await ask(server, "tools/list", {})).tools) {
			silent.add(register(pi, server, tool)); // Parley asks by itself
		}
	}

	// The question is an input whose title is "parley" and JSON. The reply is "allow", or "deny" and why.
	pi.on("tool_call", async (event, ctx) => {
		if (silent.has(event.toolName)) return;
		const question = JSON.stringify({ call: event.toolCallId, tool: event.toolName, input: event.input });
		const reply = await ctx.ui.input("parley " + question, "", { signal: ctx.signal });
		if (reply !== "allow") return { block: true, reason: reply?.replace(/^deny /, "") ?? "Stopped." };
	});
	pi.on("session_start", (_, ctx) => ctx.ui.setStatus("parley", VERSION));
}

// version is that of the protocol.
const version = "2025-06-18";

// take reads a variable and hides it from the commands that the agent runs.
function take(name) {
	const value = process.env[name];
	delete process.env[name];
	return value;
}

// literal is a key as Pi takes it: "$" and "!" mean something there.
function literal(key) {
	return key.replaceAll("$", "$$$$").replace(/^!/, "$$!");
}

// register lets Pi know a tool of the server. It gives the tool's name in Pi.
function register(pi, server, tool) {
	const name = "mcp__parley__" + tool.name;
	pi.registerTool({
		name,
		label: tool.name,
		description: tool.description ?? "",
		parameters: tool.inputSchema,
		async execute(_, input, signal) {
			const result = await ask(server, "tools/call", { name: tool.name, arguments: input }, signal);
			if (result.isError) throw new Error(result.content.map(part => part.text).join("\n"));
			return { content: result.content, details: undefined };
		},
	});
	return name;
}

// ask speaks MCP over streamable HTTP. An answer may take days: fetch would give up. A notification has none.
function ask(server, method, params, signal) {
	const headers = {
		authorization: "Bearer " + server.token,
		"content-type": "application/json",
		accept: "application/json, text/event-stream",
		"mcp-protocol-version": version,
		...(server.session && { "mcp-session-id": server.session }),
	};
	const id = method.startsWith("notifications/") ? undefined : 1;
	return new Promise((resolve, reject) => {
		const post = request(server.url, { method: "POST", headers, signal }, async reply => {
			try {
				let body = "";
				for await (const piece of reply.setEncoding("utf8")) body += piece;
				server.session ??= reply.headers["mcp-session-id"];
				if (!id && reply.statusCode < 300) return resolve();
				const events = body.match(/(?<=^data: *)\{.*$/gm);
				const answer = JSON.parse(events?.at(-1) ?? body);
				if (answer.error) throw new Error(answer.error.message);
				resolve(answer.result);
			} catch (problem) {
				reject(new Error(`Parley's tools did not answer (status ${reply.statusCode}): ${problem.message}`));
			}
		});
		post.on("error", reject);
		post.end(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
	});
}
