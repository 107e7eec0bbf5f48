import type { FormEvent } from "react";
import { useElicitation, type ServerElicitation } from "holdfast/react";

/** What servers ask. Nothing is shown while they ask nothing. */
export function Questions() {
  return useElicitation().map((question) => (question.url === undefined ? <Form key={question.id} question={question} /> : <Visit key={question.id} question={question} url={question.url} />));
}

type Property = { type?: string; title?: string; description?: string };

function Form({ question }: { question: ServerElicitation }) {
  const properties = Object.entries((question.requestedSchema?.["properties"] ?? {}) as Record<string, Property>);
  const draft = (question.draft ?? {}) as Record<string, string>;
  const texts = (form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Record<string, string>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = texts(event.currentTarget);
    const values = properties.map(([name, { type }]) => [name, type === "boolean" ? name in typed : type === "number" || type === "integer" ? Number(typed[name]) : (typed[name] ?? "")]);
    try {
      question.accept(Object.fromEntries(values));
    } catch (error) {
      alert((error as Error).message); // it names the member; the question is still open
    }
  };
  return (
    <form data-testid="question" onSubmit={submit} onInput={(event) => question.saveDraft(texts(event.currentTarget))}>
      <p>{question.message}</p>
      <small>Asked by {question.server}</small>
      {properties.map(([name, { type, title, description }]) => (
        <label key={name}>
          {title ?? name} <input name={name} type={type === "boolean" ? "checkbox" : "text"} defaultValue={draft[name]} placeholder={description} />
        </label>
      ))}
      <button>Answer</button>
      <button type="button" onClick={() => question.decline()}>No</button>
    </form>
  );
}

/** A page that somebody should visit: the whole address is shown, and nothing is opened before a click. */
function Visit({ question, url }: { question: ServerElicitation; url: string }) {
  return (
    <article>
      <p>{question.message}</p>
      <a href={url} target="_blank" rel="noreferrer" onClick={() => question.accept()}>{url}</a>
      <button onClick={() => question.decline()}>No</button>
    </article>
  );
}
