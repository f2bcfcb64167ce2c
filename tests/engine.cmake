eddy_suite(draw eddy_engine)
