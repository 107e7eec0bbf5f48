import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { authStoreContract } from "./authstorecontract.js";

authStoreContract("memory", () => {
  const store = new MemoryAuthStore();
  return Promise.resolve({ host: () => store });
});
