import { z } from 'zod';

// Before anything makes a schema: compiled ones need eval, which the policy of the page refuses and reports.
z.config({ jitless: true });
