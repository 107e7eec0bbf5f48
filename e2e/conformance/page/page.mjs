// The page of one task: the runner opens it with the task in its address. A sign-in leads the
// page away and back, or opens a window, which comes to this page as well: both have
// the task from the storage of the origin, which is there for this task alone.
import { answer, drive } from "/driver.mjs";

if (location.hash.length > 1) localStorage.setItem("task", decodeURIComponent(location.hash.slice(1)));
const task = JSON.parse(localStorage.getItem("task"));

if (name.startsWith("holdfast-")) void answer(task);
else window.ended = await drive(task);
