"use strict";
// Comforts only: every page works without this file. Text is set as text, never as markup.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "This browser does not allow it; select the text and copy it.";
    }
  });
}

// a list that can be searched: what does not match is hidden, and is not changed by a form that changes what is shown
for (const field of document.querySelectorAll("[data-search]")) {
  field.closest("[hidden]")?.removeAttribute("hidden");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let found = 0;
    for (const one of document.querySelectorAll(field.dataset.search)) {
      one.hidden = !one.dataset.name.toLowerCase().includes(wanted);
      found += one.hidden ? 0 : 1;
    }
    document.getElementById(field.dataset.said).textContent = `${found} shown`;
    for (const one of document.querySelectorAll("[data-wanted]")) one.value = wanted;
    for (const one of document.querySelectorAll("[data-shown]")) one[one.matches("input") ? "value" : "textContent"] = found;
  });
}

// the stages of a job, as they happen; without this file the page reloads itself
const job = document.querySelector("[data-job]");
if (job && job.dataset.over === "no") {
  const events = new EventSource(job.dataset.job);
  events.addEventListener("stage", (event) => {
    const item = document.createElement("li");
    item.textContent = event.data;
    job.append(item);
    document.getElementById("now").textContent = event.data;
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
}
