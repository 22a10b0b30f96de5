-- What finds the months that are long gone.

CREATE INDEX spend_month ON spend (month);
