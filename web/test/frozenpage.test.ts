// A page whose own scripts have frozen what all of them share, as hardened ones do (SES, Locker).

import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthFailure } from "../src/auth/failure.js";
import {
  AppError, type ErrorData, errorData, errorFrom, holdfastErrorFrom, thrownInPage,
} from "../src/host/wire/errordata.js";
import { HoldfastError } from "../src/base/errors.js";
import { StoreError } from "../src/storage/store.js";

test("Fault 636: what goes wrong in a page that has frozen Error.prototype is said, and no TypeError", () => {
  const { name } = Object.getOwnPropertyDescriptors(Error.prototype);
  // as it is once it is frozen
  Object.defineProperty(Error.prototype, "name", { value: "Error", writable: false });
  try {
    const failure = new HoldfastError({ code: "timeout", op: "tools/call", message: "late" });
    const data: ErrorData = { ...errorData(new Error("of the app")), name: "TypeError" };
    const names = [
      failure, new AuthFailure("auth/token", { code: "timeout", message: "late" }),
      new StoreError("lost", "gone"), new AppError(data), thrownInPage(data, 1), errorFrom(data) as Error,
    ].map((error) => error.name);
    assert.deepEqual(
      names, ["HoldfastError", "AuthFailure", "StoreError", "TypeError", "TypeError", "TypeError"],
    );
    assert.equal(String(failure), "HoldfastError: tools/call: late");
    assert.equal(holdfastErrorFrom(errorData(failure), "connect").code, "timeout");
    assert.deepEqual(
      Object.keys(failure.toJSON()),
      Object.keys(new HoldfastError({ code: "timeout", message: "late" }).toJSON()),
    );
  } finally {
    Object.defineProperty(Error.prototype, "name", name!);
  }
});
